import highlighter from 'highlight.js/lib/common';
import { useMemo } from 'react';
import { RichHtml } from '../../../shared/rich-html/rich-html.tsx';
import classes from './markdown.module.css';

/** Highlighted code; plain if the language is unknown. Includes the highlighter, so it loads on first use. */
export function HighlightedCode({ code, language }: { code: string; language: string }) {
  const html = useMemo(
    () =>
      highlighter.getLanguage(language)
        ? highlighter.highlight(code, { language, ignoreIllegals: true }).value
        : null,
    [code, language],
  );
  return html === null ? <code>{code}</code> : <RichHtml html={html} className={classes.code} />;
}

import highlighter from 'highlight.js/lib/common';
import { useMemo } from 'react';
import { RichHtml } from '../../../shared/rich-html/rich-html.tsx';
import classes from './markdown.module.css';

/** Code with colours; plain when the language is unknown. Brings the highlighter, so it comes with the first use. */
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

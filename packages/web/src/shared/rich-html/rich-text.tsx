import { marked } from 'marked';
import { useMemo } from 'react';
import { RichHtml } from './rich-html.tsx';
import classes from './rich-text.module.css';

interface RichTextProps {
  /** Markdown, HTML, or one https address to embed, from the operator. */
  source: string;
  /** Label of an embedded page for screen readers. */
  label: string;
}

const isAddress = (source: string) => /^https:\/\/\S+$/.test(source.trim());

/** Operator's content: notice, about, home page. */
export function RichText({ source, label }: RichTextProps) {
  const html = useMemo(() => marked.parse(source, { async: false, gfm: true }), [source]);
  if (isAddress(source)) {
    return (
      <iframe
        className={classes.frame}
        title={label}
        src={source.trim()}
        sandbox="allow-scripts allow-popups allow-forms"
        referrerPolicy="no-referrer"
      />
    );
  }
  return <RichHtml html={html} className={classes.text} />;
}

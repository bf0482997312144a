import { useTranslate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import classes from './markdown.module.css';
import { text } from './text.ts';
import { useHighlightedCode } from './use-highlighted-code.ts';

interface CodeFenceProps {
  code: string;
  /** What stood behind the fence; '' for nothing. */
  language: string;
}

/** Code with its language, a button to copy it, and colours once they are there. */
export function CodeFence({ code, language }: CodeFenceProps) {
  const t = useTranslate();
  const name = language.split(/[\s,{]/)[0] ?? '';
  const coloured = useHighlightedCode(code, name);
  return (
    <div className={classes.fence}>
      <div className={classes.fenceHead}>
        <span>{name || t(text.codeOf)}</span>
        <CopyButton value={code} what={t(text.copyCode)} size="xs" />
      </div>
      {/* Long lines scroll, so the frame must take the focus for the arrow keys. */}
      <div className={classes.fenceBody} tabIndex={0} role="group" aria-label={name || t(text.codeOf)}>
        {coloured ?? <code>{code}</code>}
      </div>
    </div>
  );
}

import { Button } from '@mantine/core';
import { createElement, useState } from 'react';
import { texts, useTranslate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { Diagram } from './diagram.tsx';
import classes from './markdown.module.css';
import { useOnDemand } from './use-on-demand.ts';

const text = texts({
  copyCode: { zh: '代码', en: 'code' },
  code: { zh: '代码', en: 'Code' },
  showDiagram: { zh: '显示图', en: 'Show picture' },
  hideDiagram: { zh: '隐藏图', en: 'Hide picture' },
});

/** Above this number of characters, highlighting is too slow. */
const maxColoured = 40_000;

const loadColours = async () => (await import('./highlighted-code.tsx')).HighlightedCode;

interface CodeFenceProps {
  code: string;
  /** The text after the fence; '' for none. */
  language: string;
}

/** Code with its language, a copy button, and highlighting once it is loaded; a diagram also has a picture on request. */
export function CodeFence({ code, language }: CodeFenceProps) {
  const t = useTranslate();
  const name = language.split(/[\s,{]/)[0] ?? '';
  const [isDrawn, setDrawn] = useState(false);
  // Without the highlighter code stays plain.
  const coloured = useOnDemand(loadColours, name !== '' && code.length <= maxColoured);
  return (
    <div className={classes.fence}>
      <div className={classes.fenceHead}>
        <span>{name || t(text.code)}</span>
        <span className="inline-row">
          {name === 'mermaid' && (
            <Button
              size="compact-xs"
              variant="subtle"
              aria-expanded={isDrawn}
              onClick={() => setDrawn(!isDrawn)}
            >
              {t(isDrawn ? text.hideDiagram : text.showDiagram)}
            </Button>
          )}
          <CopyButton value={code} what={t(text.copyCode)} size="xs" />
        </span>
      </div>
      {/* Long lines scroll, so the frame must be focusable for the arrow keys. */}
      <div className={classes.fenceBody} tabIndex={0} role="group" aria-label={name || t(text.code)}>
        {coloured ? createElement(coloured, { code, language: name }) : <code>{code}</code>}
      </div>
      {isDrawn && <Diagram code={code} />}
    </div>
  );
}

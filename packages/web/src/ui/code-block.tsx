import type { ReactNode } from 'react';
import classes from './code-block.module.css';

interface CodeBlockProps {
  code: string;
  label: string;
  /** A copy button in the corner. */
  action?: ReactNode;
}

/** Code that scrolls inside its frame. */
export function CodeBlock({ code, label, action }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      {/* Long lines scroll, so the frame must be focusable for the arrow keys. */}
      <pre className={classes.pre} tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
      {action && <div className={classes.copy}>{action}</div>}
    </div>
  );
}

import type { ReactNode } from 'react';
import classes from './inline-code.module.css';

/** An id or a key among text; a long one breaks instead of widening its column. */
export function InlineCode({ children }: { children: ReactNode }) {
  return <code className={classes.code}>{children}</code>;
}

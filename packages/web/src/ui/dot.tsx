import type { ReactNode } from 'react';
import classes from './dot.module.css';

export type DotTone = 'good' | 'warn' | 'bad' | 'idle';

interface DotProps {
  tone: DotTone;
  children: ReactNode;
}

/** A state as a coloured dot and a word, readable without the colour. */
export function Dot({ tone, children }: DotProps) {
  return (
    <span className={classes.dot} data-tone={tone}>
      {children}
    </span>
  );
}

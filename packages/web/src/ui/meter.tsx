import type { ReactNode } from 'react';
import classes from './meter.module.css';

interface MeterProps {
  /** What is left, 0 to 1. */
  share: number;
  children: ReactNode;
}

/** Below this share what is left is shown as low. */
const low = 0.1;

/** A figure over a hair of a bar that shows how much of the whole it is. */
export function Meter({ share, children }: MeterProps) {
  const part = Math.min(1, Math.max(0, share));
  return (
    <span className={classes.meter}>
      {children}
      <span className={classes.track} aria-hidden="true">
        <span
          className={classes.fill}
          data-low={part < low || undefined}
          style={{ width: `${part * 100}%` }}
        />
      </span>
    </span>
  );
}

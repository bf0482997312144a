import type { ReactNode } from 'react';
import classes from './meter.module.css';

interface MeterProps {
  /** The remaining share, 0 to 1. */
  share: number;
  children: ReactNode;
}

/** Below this share the bar is shown as low. */
const lowShare = 0.1;

/** A figure above a thin bar with its share of the whole. */
export function Meter({ share, children }: MeterProps) {
  const part = Math.min(1, Math.max(0, share));
  return (
    <span className={classes.meter}>
      {children}
      <span className={classes.track} aria-hidden="true">
        <span
          className={classes.fill}
          data-low={part < lowShare || undefined}
          style={{ width: `${part * 100}%` }}
        />
      </span>
    </span>
  );
}

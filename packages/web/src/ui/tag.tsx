import type { ReactNode } from 'react';
import classes from './tag.module.css';

/** The meaning of a colour. `lime` and `orange` are between good, warn and bad on scales. */
export type Tone = 'neutral' | 'accent' | 'good' | 'lime' | 'warn' | 'orange' | 'bad' | 'info';

interface TagProps {
  tone?: Tone;
  icon?: ReactNode;
  title?: string | undefined;
  children: ReactNode;
}

/** A short word on a tinted background. */
export function Tag({ tone = 'neutral', icon, title, children }: TagProps) {
  return (
    <span className={classes.tag} data-tone={tone} title={title}>
      {icon}
      <span className={classes.label}>{children}</span>
    </span>
  );
}

import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './notice.module.css';

const icons = { info: Info, warn: TriangleAlert, bad: CircleAlert, good: CircleCheck };

interface NoticeProps {
  tone?: keyof typeof icons;
  /** 'alert' is read out at once; omit it for content that is present from the start. */
  role?: 'alert' | 'status';
  actions?: ReactNode;
  children: ReactNode;
}

/** A short important message. */
export function Notice({ tone = 'info', role, actions, children }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div className={classes.notice} data-tone={tone} role={role}>
      <Icon size={16} className={classes.icon} aria-hidden="true" />
      <div className={classes.words}>{children}</div>
      {actions}
    </div>
  );
}

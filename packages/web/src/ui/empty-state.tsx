import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  icon?: ReactNode;
  tone?: 'neutral' | 'bad';
  title: ReactNode;
  /** It replaces the whole page, so its title is the page's heading. */
  page?: boolean;
  hint?: ReactNode;
  /** The next step: a button or a link. */
  action?: ReactNode;
}

/** An empty state: the reason, and the next step. */
export function EmptyState({ icon, tone = 'neutral', title, page = false, hint, action }: EmptyStateProps) {
  const Title = page ? 'h1' : 'p';
  return (
    <div className={classes.emptyState}>
      {icon !== undefined && (
        <div className={classes.icon} data-tone={tone} aria-hidden="true">
          {icon}
        </div>
      )}
      <Title className={classes.title}>{title}</Title>
      {hint !== undefined && <p className={classes.hint}>{hint}</p>}
      {action !== undefined && <div className={classes.action}>{action}</div>}
    </div>
  );
}

import type { ReactNode } from 'react';
import classes from './page-head.module.css';

interface PageHeadProps {
  title: ReactNode;
  hint?: ReactNode;
  /** The page's own buttons, the most important last. */
  actions?: ReactNode;
}

/** The heading of a page. */
export function PageHead({ title, hint, actions }: PageHeadProps) {
  return (
    <div className={classes.head}>
      <div className={classes.titles}>
        <h1 className={classes.title}>{title}</h1>
        {hint !== undefined && <p className={classes.hint}>{hint}</p>}
      </div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}

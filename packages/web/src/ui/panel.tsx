import type { ReactNode } from 'react';
import classes from './panel.module.css';

interface PanelProps {
  title?: ReactNode;
  /** One quiet line under the title. */
  hint?: ReactNode;
  /** Controls at the right end of the head. */
  actions?: ReactNode;
  /** True when the content brings its own padding (tables). */
  flush?: boolean;
  className?: string | undefined;
  children: ReactNode;
}

/** A surface for one topic. */
export function Panel({ title, hint, actions, flush = false, className, children }: PanelProps) {
  const hasHead = title !== undefined || actions !== undefined;
  return (
    <section className={className ? `${classes.panel} ${className}` : classes.panel}>
      {hasHead && (
        <header className={classes.head}>
          <div className={classes.titles}>
            {title !== undefined && <h2 className={classes.title}>{title}</h2>}
            {hint !== undefined && <p className={classes.hint}>{hint}</p>}
          </div>
          {actions}
        </header>
      )}
      <div className={classes.body} data-alone={hasHead ? undefined : true} data-flush={flush || undefined}>
        {children}
      </div>
    </section>
  );
}

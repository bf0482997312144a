import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './cells.module.css';
import type { LoggedTask } from './other.ts';

interface TaskLinkProps {
  task: LoggedTask;
  title?: string;
  children: ReactNode;
}

/** Links a log row to its task, opened. */
export const TaskLink = ({ task: { id, isDrawing }, title, children }: TaskLinkProps) => (
  <Link
    to={isDrawing ? '/midjourney' : '/task'}
    className={classes.link}
    title={title}
    search={{ id, range: 'all', open: id }}
  >
    {children}
  </Link>
);

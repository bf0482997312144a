import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './cells.module.css';

/** Longer than any vendor's session, in seconds: all rows of a session are within this time of each other. */
const sessionSeconds = 24 * 3600;

interface SessionLinkProps {
  session: string;
  /** Time of one of its responses, in Unix seconds. */
  at: number;
  title?: string;
  children: ReactNode;
}

/** Links to the rows of a realtime session: each response has the session's request id and a number. */
export function SessionLink({ session, at, title, children }: SessionLinkProps) {
  return (
    <Link
      to="/log"
      className={classes.link}
      title={title}
      search={{
        request: `${session}-%`,
        range: 'custom',
        start: String(at - sessionSeconds),
        end: String(at + sessionSeconds),
      }}
    >
      {children}
    </Link>
  );
}

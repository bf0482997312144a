import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './cells.module.css';

/** Longer than any vendor lets a session last, in seconds: its rows lie within this of one another. */
const sessionSeconds = 24 * 3600;

interface SessionLinkProps {
  session: string;
  /** When one of its responses was, in Unix seconds. */
  at: number;
  title?: string;
  children: ReactNode;
}

/** Leads to the rows of a realtime session: each of its responses has the session's request id and a number. */
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

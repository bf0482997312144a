import { role } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCurrentUser } from '../../../lib/session.ts';
import classes from './dashboard.module.css';
import type { Scope } from './queries.ts';
import type { Span } from './span.ts';

/** Filters that select the log rows behind a figure. */
export interface LogRows extends Partial<Span> {
  /** Exactly this model. */
  model?: string;
  token?: string;
  username?: string;
  /** Log type; 2 is consumption. */
  type?: number;
  /** Paying wallet: `user`, or the id of an organisation. */
  payer?: string | undefined;
  /** These tags, such as `team=search`. */
  tag?: string;
}

/** The usage log's address of those rows. */
export function logAddress({
  start,
  end,
  model,
  token,
  username,
  type,
  payer,
  tag,
}: LogRows): Record<string, string> {
  const search: Record<string, string> = {};
  if (start !== undefined) Object.assign(search, { range: 'custom', start: String(start) });
  if (end !== undefined) search.end = String(end);
  if (model) search.model = `=${model}`;
  if (token) search.token = token;
  if (username) search.username = username;
  if (type) search.type = String(type);
  if (payer) search.payer = payer;
  if (tag) search.tag = tag;
  return search;
}

/** The filter that limits the rows to the scope: only administrators' logs contain rows of others. */
export function useScopeRows(scope: Scope): { username: string; tag: string } {
  const user = useCurrentUser();
  const { tag } = scope;
  if (scope.of === 'all') return { username: scope.username, tag };
  return { username: user && user.role >= role.admin ? user.username : '', tag };
}

interface LogLinkProps {
  rows: LogRows;
  className?: string | undefined;
  title?: string;
  children: ReactNode;
}

/** A figure that links to the rows behind it. */
export function LogLink({ rows, className, title, children }: LogLinkProps) {
  return (
    <Link to="/log" search={logAddress(rows)} className={className ?? classes.link} title={title}>
      {children}
    </Link>
  );
}

import { role } from '@tollgate/contract';
import { useEffect, useMemo, useState } from 'react';
import { useCurrentUser } from '../../../lib/session.ts';
import { useStatus } from '../../../lib/api/status.ts';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import type { Scope } from './queries.ts';
import { viewOf } from './span.ts';
import { choiceParam, numberParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the dashboard. */
const dashboardSearch = {
  /** '' leaves it to the site (option DataExportDefaultTime). */
  range: choiceParam(['', 'today', '24h', '7d', '30d', 'custom']),
  /** Unix seconds, for 'custom' only. */
  start: numberParam(0),
  end: numberParam(0),
  /** '' chooses by the span. */
  unit: choiceParam(['', 'hour', 'day', 'week']),
  measure: choiceParam(['quota', 'count', 'tokens']),
  /** For administrators only. */
  scope: choiceParam(['all', 'own']),
  username: textParam(),
  tag: textParam(),
  /** Name of the tag that splits the cost; '' for the most frequent one. */
  by: textParam(),
};

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The time in Unix seconds, a minute old at most: a dashboard stays open for days. */
function useNow(): number {
  const [now, setNow] = useState(nowSeconds);
  useEffect(() => {
    const timer = setInterval(() => setNow(nowSeconds()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The view in the address, and a function that changes it. */
export function useView() {
  const now = useNow();
  const isAdmin = (useCurrentUser()?.role ?? 0) >= role.admin;
  const siteUnit = useStatus()?.data_export_default_time ?? 'hour';
  const [search, setSearch] = useUrlState(dashboardSearch);
  const { range, start, end, unit, measure, username, tag, by } = search;
  const isAll = isAdmin && search.scope === 'all';
  const view = useMemo(
    () => viewOf({ range, start, end, unit }, siteUnit, now),
    [range, start, end, unit, siteUnit, now],
  );
  const scope = useMemo<Scope>(
    () => (isAll ? { of: 'all', username, tag } : { of: 'own', tag }),
    [isAll, username, tag],
  );
  return { now, isAdmin, view, scope, measure, by, setSearch };
}

export type Dashboard = ReturnType<typeof useView>;

import { AppError, maxDataSpanSeconds, type QuotaData } from '@tollgate/contract';
import { type Clock, hourOf, seconds, systemClock } from '../../../lib/clock.ts';
import { type Db, logSums, quotaData as quotaDataRows, teamMembers, users } from '../../../store/index.ts';
import { withTags } from './usage-summary.ts';

/**
 * Consumption by model and hour, for dashboards (docs/compatibility.md#dashboard-sums). Times are Unix seconds, both
 * ends included; an end of 0 means no end. A text of tags limits them to calls with these tags, for the time that the
 * log covers.
 */
export interface QuotaSums {
  /** Sums over all users. */
  ofAll(start: number, end: number, tag?: string): Promise<QuotaData[]>;
  /** Of the user with this name; empty if there is none. */
  ofUsername(username: string, start: number, end: number, tag?: string): Promise<QuotaData[]>;
  /** Of the user themselves: at most one month per request. */
  own(userId: number, start: number, end: number, tag?: string): Promise<QuotaData[]>;
}

const noEnd = Number.MAX_SAFE_INTEGER;

/** Opens the dashboard's sums. */
export function createQuotaSums({ db, clock = systemClock }: { db: Db; clock?: Clock }): QuotaSums {
  const period = (start: number, end: number) => ({ start, end: end === 0 ? noEnd : end });
  return {
    async ofAll(start, end, tag = '') {
      if (tag !== '') {
        const sums = await tagged(db, { ...period(start, end), ...withTags(tag) });
        return sums.map((sum) => ({ ...sum, team_quota: 0 }));
      }
      const rows = await quotaDataRows.byModel(db, period(start, end));
      return rows.map((row) => ({ id: 0, user_id: 0, username: '', ...row, team_quota: 0 }));
    },
    async ofUsername(username, start, end, tag = '') {
      const user = await users.findByLogin(db, username);
      return user ? ofUser(db, user.id, period(start, end), tag) : [];
    },
    own(userId, start, end, tag = '') {
      if ((end === 0 ? seconds(clock) : end) - start > maxDataSpanSeconds)
        throw new AppError('data_span_too_long');
      return ofUser(db, userId, period(start, end), tag);
    },
  };
}

/**
 * Sums of one user, including the part paid by teams. That part is only in the log, and is not read for users who were
 * never in a team.
 */
async function ofUser(
  db: Db,
  userId: number,
  period: quotaDataRows.Period,
  tag: string,
): Promise<QuotaData[]> {
  if (tag !== '') return tagged(db, { ...period, ...withTags(tag), userId });
  const rows = await quotaDataRows.ofUser(db, userId, period);
  const paid = (await teamMembers.wasEverMember(db, userId))
    ? await quotaDataRows.paidByTeams(db, userId, { ...period, end: endOfHour(period.end) })
    : [];
  const keyOf = (row: { model_name: string; created_at: number }) => `${row.created_at} ${row.model_name}`;
  const byKey = new Map(paid.map((row) => [keyOf(row), row.quota]));
  return rows.map((row) => ({ ...row, team_quota: Math.min(row.quota, byKey.get(keyOf(row)) ?? 0) }));
}

/** Only the log knows the tags. */
async function tagged(db: Db, filter: logSums.SumFilter): Promise<QuotaData[]> {
  const rows = await logSums.byModelAndHour(db, filter);
  return rows.map((row) => ({ id: 0, user_id: 0, username: '', ...row }));
}

/** Log rows are counted in their hour; sums have only its start. */
const endOfHour = (end: number): number => (end === noEnd ? end : hourOf(end) + 3599);

import type { LimitPeriod } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { teamMembers } from '../../../store/index.ts';
import { grantLimit, type Ledger, type VerbContext } from '../../money/ledger/index.ts';

/** The start of a time's calendar month in UTC, or of a later month by offset; Unix seconds. */
export function monthStart(at: number, later = 0): number {
  const date = new Date(at * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later) / 1_000;
}

/** Start of the usage that counts against a limit. */
const limitSince = (period: LimitPeriod, now: number): number => (period === 'month' ? monthStart(now) : 0);

/** The remaining limit of a member; null without a limit. Resets the limit if a new month has started. */
export function limitLeft(member: teamMembers.TeamMemberRow, usedMonth: number, now: number): number | null {
  if (member.unlimited_quota === 1) return null;
  const isStale = member.limit_period === 'month' && member.period_start < monthStart(now);
  return isStale ? Math.max(0, member.limit_quota - usedMonth) : Math.max(0, member.remain_quota);
}

/**
 * Resets a monthly limit with the first call of a month, in only one process; returns the end of its validity (Unix
 * seconds). It uses the ledger's sum since the start of the month, so it cannot drift, regardless of the time of the
 * reset.
 */
export async function turnLimit(
  { ledger, clock }: { ledger: Pick<Ledger, 'change'>; clock: Clock },
  member: teamMembers.TeamMemberRow,
): Promise<number> {
  if (member.limit_period !== 'month') return Infinity;
  const now = seconds(clock);
  const start = monthStart(now);
  if (member.period_start < start) await ledger.change((money) => beginMonth(money, member, start));
  return monthStart(now, 1);
}

async function beginMonth(
  money: VerbContext,
  { id, team_id: teamId, user_id: userId }: teamMembers.TeamMemberRow,
  start: number,
): Promise<void> {
  const member = await teamMembers.findLocked(money.db, teamId, userId);
  if (!member || !(await teamMembers.beginPeriod(money.db, id, start))) return;
  const { limit_quota: limit } = member;
  await grantLimit(money, { txn: `month:${id}:${start}`, memberId: id, limit, since: start, actorId: 0 });
}

/** Sets or removes a limit in the transaction of its change. `member` is locked. */
export async function setLimit(
  money: VerbContext,
  member: teamMembers.TeamMemberRow,
  limit: { period: LimitPeriod; quota: number },
  by: { actorId: number; requestId: string },
): Promise<void> {
  const isNone = limit.period === '';
  const since = limitSince(limit.period, money.at);
  await grantLimit(money, {
    txn: `member:${member.id}:${by.requestId}`,
    memberId: member.id,
    limit: isNone ? null : limit.quota,
    since,
    actorId: by.actorId,
  });
  await teamMembers.update(money.db, member.id, {
    limit_period: limit.period,
    limit_quota: isNone ? 0 : limit.quota,
    period_start: since,
    unlimited_quota: isNone ? 1 : 0,
  });
}

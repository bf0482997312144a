import type { TeamStatement } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { type Db, users, walletStatement } from '../../../store/index.ts';
import type { Membership } from './access.ts';
import { monthStart } from './limit.ts';

/** A month, as in `2026-11`, in UTC. */
const monthText = (at: number): string => new Date(at * 1_000).toISOString().slice(0, 7);

/**
 * A month of a team's wallet from the ledger: balance at the start and the end, sums by kind and by member, and a
 * page of its entries. '' is the present month.
 */
export async function readStatement(
  { reports, clock }: { reports: Db; clock: Clock },
  { team }: Membership,
  { month, page, pageSize }: { month: string; page: number; pageSize: number },
): Promise<TeamStatement> {
  const from = month === '' ? monthStart(seconds(clock)) : Date.parse(`${month}-01T00:00:00Z`) / 1_000;
  const wallet = { teamId: team.id, accountId: team.account_id };
  const time = { ...wallet, from, to: monthStart(from, 1) };
  const at = Math.max(1, page);
  const [rows, sums, members, opening] = await Promise.all([
    walletStatement.page(reports, time, { offset: (at - 1) * pageSize, limit: pageSize }),
    walletStatement.byKind(reports, time),
    walletStatement.byMember(reports, time),
    walletStatement.balanceAt(reports, wallet, from),
  ]);
  const ids = [...rows.map((row) => row.user_id), ...members.map(({ userId }) => userId)];
  const names = await users.findNames(reports, [...new Set(ids)]);
  return {
    month: monthText(from),
    opening,
    closing: sums.reduce((sum, { amount }) => sum + amount, opening),
    sums,
    members: members.map(({ userId, ...sum }) => ({
      user_id: userId,
      username: names.get(userId) ?? '',
      ...sum,
    })),
    items: rows.map((row) => ({
      id: row.id,
      at: row.at,
      kind: row.kind,
      amount: row.account_delta,
      user_id: row.user_id,
      username: names.get(row.user_id) ?? '',
      request_id: row.kind === 'usage' ? row.txn.replace(/^late:/, '') : '',
      note: row.kind === 'adjust' ? row.note : '',
    })),
    total: sums.reduce((sum, { count }) => sum + count, 0),
    page: at,
    page_size: pageSize,
  };
}

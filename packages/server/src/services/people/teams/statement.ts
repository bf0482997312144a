import type { TeamStatement } from '@tollgate/contract';
import { wallTime, windowAt } from '../../../lib/calendar-windows.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { type Db, users, walletStatement } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import type { Membership } from './access.ts';

/**
 * A month of a team's wallet from the ledger: balance at the start and the end, sums by kind and by member, and a
 * page of its entries. '' is the present month.
 */
export async function readStatement(
  { reports, clock, settings }: { reports: Db; clock: Clock; settings: Pick<Settings, 'get'> },
  { team }: Membership,
  { month, page, pageSize }: { month: string; page: number; pageSize: number },
): Promise<TeamStatement> {
  const timeZone = settings.get('AlarmTimeZone');
  // The middle of a month is in it in every time zone.
  const within = month === '' ? seconds(clock) : Date.parse(`${month}-15T12:00:00Z`) / 1_000;
  const { start: from, end: to } = windowAt('month', timeZone, within);
  const wallet = { teamId: team.id, accountId: team.account_id };
  const time = { ...wallet, from, to };
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
    month: wallTime(timeZone, from).slice(0, 7),
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
      note: row.kind === 'adjust' || row.kind === 'topup_refund' ? row.note : '',
    })),
    total: sums.reduce((sum, { count }) => sum + count, 0),
    page: at,
    page_size: pageSize,
  };
}

import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import type { Slice } from '../shared.ts';

/** A team's wallet, and a time range: `from` included, `to` not (Unix seconds). */
export interface WalletTime {
  teamId: number;
  accountId: number;
  from: number;
  to: number;
}

/** Kind of a wallet movement, as shown in statements. */
export interface WalletEntry {
  id: number;
  txn: string;
  kind: string;
  at: number;
  user_id: number;
  account_delta: number;
  note: string;
}

/**
 * The entries of a wallet: charges of calls by the members' ids and the time, all others by the account. Each query
 * has an index.
 */
const entries = ({ teamId, accountId, from, to }: WalletTime): RawBuilder<unknown> => sql`
  select id, txn, kind, at, user_id, account_delta, note from ledger
  where account_id = ${accountId} and kind <> 'usage' and at >= ${from} and at < ${to}
  union all
  select id, txn, kind, at, user_id, account_delta, note from ledger
  where member_id in (select id from team_members where team_id = ${teamId}) and member_id <> 0
    and kind = 'usage' and account_id = ${accountId} and at >= ${from} and at < ${to}`;

/** One page of a wallet's entries, newest first. */
export async function page(db: Db, time: WalletTime, { offset, limit }: Slice): Promise<WalletEntry[]> {
  const { rows } = await sql<WalletEntry>`select * from (${entries(time)}) e order by at desc, id desc
    limit ${sql.lit(limit)} offset ${sql.lit(offset)}`.execute(db);
  return rows;
}

/** A sum over entries. */
export interface WalletSum {
  amount: number;
  count: number;
}

const numbers = ({ amount, count }: { amount: number | string; count: number | string }): WalletSum => ({
  amount: Number(amount),
  count: Number(count),
});

/** Sums by kind. */
export async function byKind(db: Db, time: WalletTime): Promise<(WalletSum & { kind: string })[]> {
  const { rows } = await sql<{ kind: string; amount: number | string; count: number | string }>`
    select kind, sum(account_delta) as amount, count(*) as count from (${entries(time)}) e
    group by kind order by kind`.execute(db);
  return rows.map((row) => ({ kind: row.kind, ...numbers(row) }));
}

/** Charges of each member's calls minus corrections and refunds, largest first. */
export async function byMember(db: Db, time: WalletTime): Promise<(WalletSum & { userId: number })[]> {
  const { rows } = await sql<{ user_id: number; amount: number | string; count: number | string }>`
    select user_id, sum(account_delta) as amount, sum(case kind when 'usage' then 1 else 0 end) as count from (${entries(time)}) e
    where kind in ('usage', 'refund', 'rerate') group by user_id order by 2, 1`.execute(db);
  return rows.map((row) => ({ userId: row.user_id, ...numbers(row) }));
}

/**
 * The balance of a wallet at a moment: the present balance minus later movements. One statement, so that both agree.
 */
export async function balanceAt(
  db: Db,
  wallet: Omit<WalletTime, 'from' | 'to'>,
  at: number,
): Promise<number> {
  const since = entries({ ...wallet, from: at, to: Number.MAX_SAFE_INTEGER });
  const { rows } = await sql<{ balance: number | string }>`
    select a.balance - coalesce((select sum(account_delta) from (${since}) e), 0) as balance
    from accounts a where a.id = ${wallet.accountId}`.execute(db);
  return Number(rows[0]?.balance ?? 0);
}

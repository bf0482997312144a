import { sql } from 'kysely';
import { dialectOf } from '../../db.ts';
import { isNotLate, lateDelta } from '../late-entries.ts';
import type { Db } from '../../dialects/types.ts';

/** A row with a figure that differs from the sum of its rows. */
export interface Mismatch {
  id: number;
  /** The stored figure. */
  stored: number;
  /** The sum of its rows. */
  computed: number;
}

/** A figure on rows of `table` and the rows that it sums. */
interface Sum {
  table: 'accounts' | 'tokens' | 'team_members' | 'users' | 'channels';
  column: string;
  from: 'ledger' | 'holds';
  by: string;
  value: string;
  /** Further condition on the rows summed. */
  where?: string;
}

/** Charges of calls here and before an import, refunds of failed tasks, and corrections. */
const used = `kind in ('usage', 'refund', 'rerate', 'former')`;
const isCounted = `note not like '%"uncounted"%'`;
const counted = `${used} and ${isCounted}`;
/** Amount that a person's own wallet paid; payments of a team count on its member. */
const ownCounted = `${counted} and member_id = 0`;

/** Every stored sum with the rows that it sums, by invariant. */
const sums = {
  'I1 balance': {
    table: 'accounts',
    column: 'balance',
    from: 'ledger',
    by: 'account_id',
    value: 'account_delta',
  },
  'I4 held': { table: 'accounts', column: 'held', from: 'holds', by: 'account_id', value: 'amount' },
  'I15 reward': { table: 'users', column: 'aff_quota', from: 'ledger', by: 'user_id', value: 'reward_delta' },
  'I17 user used_quota': {
    table: 'users',
    column: 'used_quota',
    from: 'ledger',
    by: 'user_id',
    value: '-account_delta',
    where: ownCounted,
  },
  'I17 user request_count': {
    table: 'users',
    column: 'request_count',
    from: 'ledger',
    by: 'user_id',
    value: '1',
    where: `kind = 'usage' and ${isCounted} and ${isNotLate}`,
  },
  'I17 channel used_quota': {
    table: 'channels',
    column: 'used_quota',
    from: 'ledger',
    by: 'channel_id',
    value: '-account_delta',
    where: counted,
  },
  'I18 allowance': {
    table: 'tokens',
    column: 'remain_quota',
    from: 'ledger',
    by: 'token_id',
    value: 'token_delta',
  },
  'I18 token held': { table: 'tokens', column: 'held', from: 'holds', by: 'token_id', value: 'token_amount' },
  'I17 token used_quota': {
    table: 'tokens',
    column: 'used_quota',
    from: 'ledger',
    by: 'token_id',
    value: '-account_delta',
    where: used,
  },
  'I21 limit': {
    table: 'team_members',
    column: 'remain_quota',
    from: 'ledger',
    by: 'member_id',
    value: 'member_delta',
  },
  'I21 limit held': {
    table: 'team_members',
    column: 'held',
    from: 'holds',
    by: 'member_id',
    value: 'member_amount',
  },
  'I17 member used_quota': {
    table: 'team_members',
    column: 'used_quota',
    from: 'ledger',
    by: 'member_id',
    value: '-account_delta',
    where: used,
  },
} as const satisfies Record<string, Sum>;

export type SumName = keyof typeof sums;
export const sumNames = Object.keys(sums) as SumName[];

/** Rows with a wrong sum, at most `limit`. */
export async function mismatches(db: Db, name: SumName, limit = 20): Promise<Mismatch[]> {
  const { table, column, from, by, value, where }: Sum = sums[name];
  const condition = where ? sql`where ${sql.raw(where)}` : sql``;
  const { rows } = await sql<Mismatch>`
    select t.id as id, t.${sql.ref(column)} as stored, coalesce(s.total, 0) as computed
    from ${sql.table(table)} t
    left join (select ${sql.ref(by)} as owner, sum(${sql.raw(value)}) as total from ${sql.table(from)} ${condition}
      group by ${sql.ref(by)}) s on s.owner = t.id
    where t.${sql.ref(column)} <> coalesce(s.total, 0)
    order by t.id limit ${sql.lit(limit)}`.execute(db);
  return rows.map(({ id, stored, computed }) => ({ id, stored, computed: Number(computed) }));
}

/** The used totals and request counts: sums for people to look at, which no decision rests on. */
export const rebuildable = sumNames.filter((name) => name.startsWith('I17'));

/**
 * Recomputes a total of these rows from the ledger; returns the number of changed rows. In a transaction that locks
 * the rows before it reads the ledger, so that a concurrent settlement is either read here or added later.
 */
export async function rebuild(db: Db, name: SumName, ids: readonly number[]): Promise<number> {
  const { table, column, from, by, value, where }: Sum = sums[name];
  const { lockRows } = dialectOf(db);
  const stored = await lockRows(db.selectFrom(table).select('id').where('id', 'in', ids)).execute();
  const condition = where ? sql`and ${sql.raw(where)}` : sql``;
  const { rows } = await sql<{ owner: number; total: number }>`
    select ${sql.ref(by)} as owner, sum(${sql.raw(value)}) as total from ${sql.table(from)}
    where ${sql.ref(by)} in (${sql.join(ids)}) ${condition} group by ${sql.ref(by)}`.execute(db);
  const totals = new Map(rows.map(({ owner, total }) => [owner, Number(total)]));
  let changed = 0;
  for (const { id } of stored) {
    const total = totals.get(id) ?? 0;
    const result = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${total}
      where id = ${id} and ${sql.ref(column)} <> ${total}`.execute(db);
    changed += Number(result.numAffectedRows ?? 0);
  }
  return changed;
}

/** Ledger rows with parts that do not add up to zero (I2), or with a negative cost (I11), by txn. */
export const unbalanced = (db: Db, limit = 20) =>
  db
    .selectFrom('ledger')
    .select('txn')
    .where((e) =>
      e.or([
        sql<boolean>`account_delta + reward_delta + writeoff_delta + outside_delta <> 0`,
        e.and([
          e('kind', '=', 'usage'),
          e.or([e('account_delta', '>', 0), e('writeoff_delta', '>', 0), e('outside_delta', '<', 0)]),
        ]),
      ]),
    )
    .limit(limit)
    .execute();

/** Accounts with a negative balance or hold (I5). */
export const overdrawn = (db: Db, limit = 20) =>
  db
    .selectFrom('accounts')
    .select(['id', 'balance', 'held'])
    .where((e) => e.or([e('balance', '<', 0), e('held', '<', 0)]))
    .limit(limit)
    .execute();

/** Limited tokens with a negative allowance (I18). */
export const overdrawnTokens = (db: Db, limit = 20) =>
  db
    .selectFrom('tokens')
    .select(['id', 'remain_quota', 'held'])
    .where((e) => e.or([e('held', '<', 0), e.and([e('remain_quota', '<', 0), e('unlimited_quota', '=', 0)])]))
    .limit(limit)
    .execute();

/** Limited members of teams with a negative rest (I21). */
export const overdrawnMembers = (db: Db, limit = 20) =>
  db
    .selectFrom('team_members')
    .select(['id', 'remain_quota', 'held'])
    .where((e) => e.or([e('held', '<', 0), e.and([e('remain_quota', '<', 0), e('unlimited_quota', '=', 0)])]))
    .limit(limit)
    .execute();

/** Consumption rows with a quota that differs from their ledger entry (I17). */
export const misloggedRows = (db: Db, limit = 20) =>
  db
    .selectFrom('logs')
    .innerJoin('ledger', 'ledger.txn', 'logs.request_id')
    .select(['logs.request_id as txn', 'logs.quota as logged'])
    .select(sql<number>`ledger.account_delta + ${lateDelta('ledger')}`.as('delta'))
    .where('ledger.kind', '=', 'usage')
    .where('logs.type', '=', 2)
    .where(sql<boolean>`logs.quota <> -(ledger.account_delta + ${lateDelta('ledger')})`)
    .limit(limit)
    .execute();

/** Settlements with more than one consumption row (I6). */
export const loggedTwice = (db: Db, limit = 20) =>
  db
    .selectFrom('logs')
    .select(['request_id as txn'])
    .where('type', '=', 2)
    .where('request_id', '!=', '')
    .groupBy('request_id')
    .having((e) => e.fn.countAll(), '>', 1)
    .limit(limit)
    .execute();

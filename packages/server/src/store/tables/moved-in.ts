import { sql } from 'kysely';
import type { Insertable, Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { Database } from '../schema/index.ts';
import { batches } from './shared.ts';

/** Tables into which an import writes rows with given ids. */
type Numbered = 'accounts' | 'users' | 'tokens' | 'channels' | 'redemptions';

/** A row with its id and without the figures of the ledger, which start at 0. */
export type MovedUser = Omit<Selectable<Database['users']>, 'used_quota' | 'request_count' | 'aff_quota'>;
export type MovedToken = Omit<
  Selectable<Database['tokens']>,
  'remain_quota' | 'held' | 'used_quota' | 'regions' | 'no_retention'
>;

/** Opens empty accounts with these ids. */
export async function addAccounts(db: Db, ids: readonly number[]): Promise<void> {
  for (const part of batches(ids))
    await db
      .insertInto('accounts')
      .values(part.map((id) => ({ id, balance: 0, held: 0 })))
      .execute();
}

export async function addUsers(db: Db, users: readonly MovedUser[]): Promise<void> {
  const unused = { used_quota: 0, request_count: 0, aff_quota: 0 };
  for (const part of batches(users))
    await db
      .insertInto('users')
      .values(part.map((user) => ({ ...user, ...unused })))
      .execute();
}

export async function addTokens(db: Db, tokens: readonly MovedToken[]): Promise<void> {
  const unused = { remain_quota: 0, held: 0, used_quota: 0 };
  for (const part of batches(tokens))
    await db
      .insertInto('tokens')
      .values(part.map((token) => ({ ...token, ...unused })))
      .execute();
}

export async function addRedemptions(
  db: Db,
  codes: readonly Insertable<Database['redemptions']>[],
): Promise<void> {
  for (const part of batches(codes)) await db.insertInto('redemptions').values(part).execute();
}

/** The largest id of a table; 0 if it is empty. */
export async function lastId(db: Db, table: Numbered): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from ${sql.table(table)}`.execute(
    db,
  );
  return Number(rows[0]?.id ?? 0);
}

/** Advances PostgreSQL's numbering past the imported ids; the other databases do this automatically. */
export async function numberOn(db: Db): Promise<void> {
  if (dialectOf(db).kind !== 'postgres') return;
  for (const table of ['accounts', 'users', 'tokens', 'channels', 'redemptions'] satisfies Numbered[])
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), greatest(max(id), 1)) from ${sql.table(table)}`.execute(
      db,
    );
}

/** Total amounts of money, in quota units. */
export interface MoneyThere {
  /** Balances of all accounts. */
  balances: number;
  /** Remaining allowances of limited keys. */
  allowances: number;
  /** Unused codes. */
  codes: number;
  /** Invitation rewards that were not transferred yet. */
  rewards: number;
  /** Amounts of budgets that count quota, and their use. */
  budgets: number;
  budgetsUsed: number;
  /** Credit of periods to come of given subscriptions. */
  refills: number;
}

/** Sums all amounts of money. */
export async function moneyThere(db: Db): Promise<MoneyThere> {
  const sum = async (query: ReturnType<typeof sql<{ total: number | string | null }>>) =>
    Number((await query.execute(db)).rows[0]?.total ?? 0);
  return {
    balances: await sum(sql`select sum(balance) as total from accounts`),
    allowances: await sum(
      sql`select sum(remain_quota) as total from tokens where unlimited_quota = 0 and deleted_at is null`,
    ),
    codes: await sum(
      sql`select sum(quota) as total from redemptions where status = 1 and deleted_at is null`,
    ),
    rewards: await sum(sql`select sum(aff_quota) as total from users`),
    budgets: await sum(sql`select sum(amount) as total from budgets where unit = 'quota'`),
    budgetsUsed: await sum(sql`select sum(used) as total from budgets where unit = 'quota'`),
    refills: await sum(
      sql`select sum(quota * renews) as total from subscriptions where paid_by = 'gift' and state = 'active'`,
    ),
  };
}

/** The users of the site, root first; two at most, because more than one is too many for an import. */
export const firstUsers = (db: Db) =>
  db
    .selectFrom('users')
    .select(['id', 'account_id', 'username', 'role'])
    .orderBy('role', 'desc')
    .orderBy('id')
    .limit(2)
    .execute();

// Progress of an imported log is a row of the change marks with a negative version, which queries for changes never
// return.
const LOG_MARK = 'import-log';

/** The last written row of the other gateway's log; 0 before the first. */
export async function logMark(db: Db): Promise<number> {
  const row = await db
    .selectFrom('change_marks')
    .select('version')
    .where('name', '=', LOG_MARK)
    .executeTakeFirst();
  return row ? 0 - row.version : 0;
}

/** Advances that, in the transaction that writes the rows. */
export async function markLog(db: Db, id: number): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  await db
    .insertInto('change_marks')
    .values({ name: LOG_MARK, version: 0 - id })
    .modifyEnd(upsert(['name'], { version: incoming('version') }))
    .execute();
}

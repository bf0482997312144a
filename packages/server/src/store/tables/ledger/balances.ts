import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { Database } from '../../schema/index.ts';
import { batches } from '../shared.ts';

/** The row that a plan was made on is not the row in the database: plan again on what is there. */
export class StaleBooks extends Error {
  constructor(table: string, id: number) {
    super(`${table} ${id} is not as it was read`);
    this.name = 'StaleBooks';
  }
}

/** A payer's figures before and after. */
export interface AccountChange {
  readonly id: number;
  readonly balance: number;
  readonly held: number;
  readonly storedBalance: number;
  readonly storedHeld: number;
}

/** The figures of a meter beside the money, before and after: a token's allowance, or what is left of a member's limit. */
export interface MeterChange {
  readonly id: number;
  readonly remain: number;
  readonly held: number;
  readonly storedRemain: number;
  readonly storedHeld: number;
  /** As it was read: a plan for a limited meter must not be written over an unlimited one. */
  readonly unlimited: boolean;
  /** Growth of `used_quota`. */
  readonly used: number;
}

/** A token's figures before and after. */
export interface TokenChange extends MeterChange {
  /** Unix seconds; 0 leaves `accessed_time` alone. */
  readonly accessedAt: number;
}

/** Growth of a user's totals. */
export interface UserChange {
  readonly quota: number;
  readonly requests: number;
}

/** Accounts as they are, without a lock. */
export async function readAccounts(db: Db, ids: Iterable<number>) {
  const rows = [];
  for (const some of batches([...ids])) {
    rows.push(...(await db.selectFrom('accounts').selectAll().where('id', 'in', some).execute()));
  }
  return rows;
}

/** Locks accounts until the transaction ends, in id order so that two processes never wait for each other in a circle. */
export async function lockAccounts(db: Db, ids: Iterable<number>) {
  const dialect = dialectOf(db);
  const rows = [];
  for (const some of batches([...ids].toSorted((a, b) => a - b))) {
    const query = db.selectFrom('accounts').selectAll().where('id', 'in', some).orderBy('id');
    rows.push(...(await dialect.lockRows(query).execute()));
  }
  return rows;
}

/** Locks tokens until the transaction ends, in id order. Take the locks of accounts first. */
export async function lockTokens(db: Db, ids: Iterable<number>) {
  const dialect = dialectOf(db);
  const rows = [];
  for (const some of batches([...ids].toSorted((a, b) => a - b))) {
    const query = db
      .selectFrom('tokens')
      .select(['id', 'user_id', 'remain_quota', 'held', 'unlimited_quota'])
      .where('id', 'in', some)
      .orderBy('id');
    rows.push(...(await dialect.lockRows(query).execute()));
  }
  return rows;
}

/** Locks members of teams until the transaction ends, in id order. Take the locks of accounts and tokens first. */
export async function lockMembers(db: Db, ids: Iterable<number>) {
  const dialect = dialectOf(db);
  const rows = [];
  for (const some of batches([...ids].toSorted((a, b) => a - b))) {
    const query = db
      .selectFrom('team_members')
      .select(['id', 'team_id', 'user_id', 'remain_quota', 'held', 'unlimited_quota'])
      .where('id', 'in', some)
      .orderBy('id');
    rows.push(...(await dialect.lockRows(query).execute()));
  }
  return rows;
}

/**
 * Locks one user's row: the account that pays and the invitation reward. Take the locks of accounts, tokens and members
 * first.
 */
export function lockUser(db: Db, id: number) {
  const query = db
    .selectFrom('users')
    .select(['id', 'account_id', 'username', 'aff_quota'])
    .where('id', '=', id);
  return dialectOf(db).lockRows(query).executeTakeFirst();
}

/** The account that pays for a user, without a lock. */
export const findPayer = (db: Db, userId: number) =>
  db.selectFrom('users').select(['account_id', 'username']).where('id', '=', userId).executeTakeFirst();

/** One figure per row id. Whole numbers only, so they may stand in the text: parameters would have no type there. */
const byId = (id: RawBuilder<unknown>, figures: ReadonlyMap<number, number>): RawBuilder<number> => {
  const cases = [...figures].map(([key, figure]) => sql`when ${whole(key)} then ${whole(figure)}`);
  return sql<number>`case ${id} ${sql.join(cases, sql` `)} else 0 end`;
};

function whole(value: number): RawBuilder<unknown> {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number: ${value}`);
  return sql.lit(value);
}

type Summed = 'accounts' | 'tokens' | 'team_members' | 'users' | 'channels';

/** Adds to columns of several rows in one statement; answers how many rows there were. */
async function addTo(
  db: Db,
  table: Summed,
  growth: ReadonlyMap<number, Readonly<Record<string, number>>>,
): Promise<number> {
  let rows = 0;
  const sorted = [...growth].toSorted(([a], [b]) => a - b);
  for (const some of batches(sorted)) {
    const columns = Object.keys(some[0]![1]);
    const set = columns.map((column) => {
      const figures = new Map(some.map(([id, row]) => [id, row[column] ?? 0]));
      return sql`${sql.ref(column)} = ${sql.ref(column)} + ${byId(sql.ref('id'), figures)}`;
    });
    const ids = some.map(([id]) => whole(id));
    const query = sql`update ${sql.table(table satisfies keyof Database)} set ${sql.join(set)} where id in (${sql.join(ids)})`;
    rows += Number((await query.execute(db)).numAffectedRows ?? 0n);
  }
  return rows;
}

/** Writes balances and holds of accounts that this transaction has locked. */
export async function writeAccounts(db: Db, changes: Iterable<AccountChange>): Promise<void> {
  const growth = new Map<number, Record<string, number>>();
  for (const change of changes) {
    const balance = change.balance - change.storedBalance;
    const held = change.held - change.storedHeld;
    if (balance !== 0 || held !== 0) growth.set(change.id, { balance, held });
  }
  await addAll(db, 'accounts', growth);
}

/** Writes allowances, holds and use of tokens that this transaction has locked. */
export async function writeTokens(db: Db, changes: Iterable<TokenChange>): Promise<void> {
  const growth = new Map<number, Record<string, number>>();
  const accessed = new Map<number, number[]>();
  for (const change of changes) {
    const remain = change.remain - change.storedRemain;
    const held = change.held - change.storedHeld;
    if (remain !== 0 || held !== 0 || change.used !== 0) {
      growth.set(change.id, { remain_quota: remain, held, used_quota: change.used });
    }
    if (change.accessedAt === 0) continue;
    const ids = accessed.get(change.accessedAt);
    if (ids) ids.push(change.id);
    else accessed.set(change.accessedAt, [change.id]);
  }
  await addAll(db, 'tokens', growth);
  for (const [at, ids] of accessed) {
    for (const some of batches(ids)) {
      await db.updateTable('tokens').set({ accessed_time: at }).where('id', 'in', some).execute();
    }
  }
}

/** Writes what is left of limits, holds and use of members that this transaction has locked. */
export async function writeMembers(db: Db, changes: Iterable<MeterChange>): Promise<void> {
  const growth = new Map<number, Record<string, number>>();
  for (const change of changes) {
    const remain = change.remain - change.storedRemain;
    const held = change.held - change.storedHeld;
    if (remain !== 0 || held !== 0 || change.used !== 0) {
      growth.set(change.id, { remain_quota: remain, held, used_quota: change.used });
    }
  }
  await addAll(db, 'team_members', growth);
}

async function addAll(
  db: Db,
  table: Summed,
  growth: ReadonlyMap<number, Readonly<Record<string, number>>>,
): Promise<void> {
  if (growth.size === 0) return;
  const rows = await addTo(db, table, growth);
  if (rows !== growth.size) throw new StaleBooks(table, growth.keys().next().value ?? 0);
}

/** Adds to used_quota and request_count of users; a user who is gone is no error. */
export async function addToUsers(db: Db, users: ReadonlyMap<number, UserChange>): Promise<void> {
  const growth = new Map(
    [...users].map(([id, change]) => [id, { used_quota: change.quota, request_count: change.requests }]),
  );
  if (growth.size > 0) await addTo(db, 'users', growth);
}

/** Adds to used_quota of channels; a channel that was deleted meanwhile is no error. */
export async function addToChannels(db: Db, channels: ReadonlyMap<number, number>): Promise<void> {
  const growth = new Map([...channels].map(([id, quota]) => [id, { used_quota: quota }]));
  if (growth.size > 0) await addTo(db, 'channels', growth);
}

/** Adds to the balance of an account that this transaction has locked; false when that would leave less than nothing. */
export async function addToBalance(db: Db, accountId: number, delta: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set((e) => ({ balance: e('balance', '+', delta) }))
    .where('id', '=', accountId)
    .where('balance', '>=', -delta)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Adds to a token's allowance, which this transaction has locked. */
export async function addToAllowance(db: Db, tokenId: number, delta: number): Promise<void> {
  await db
    .updateTable('tokens')
    .set((e) => ({ remain_quota: e('remain_quota', '+', delta) }))
    .where('id', '=', tokenId)
    .executeTakeFirstOrThrow();
}

/** Adds to what is left of a member's limit, whose row this transaction has locked. */
export async function addToLimit(db: Db, memberId: number, delta: number): Promise<void> {
  await db
    .updateTable('team_members')
    .set((e) => ({ remain_quota: e('remain_quota', '+', delta) }))
    .where('id', '=', memberId)
    .executeTakeFirstOrThrow();
}

/** Gives back to a meter whose row this transaction has locked, and takes off what it counts as used. */
export async function giveBack(
  db: Db,
  table: 'tokens' | 'team_members',
  id: number,
  { delta, used }: { delta: number; used: number },
): Promise<void> {
  await addAll(db, table, new Map([[id, { remain_quota: delta, used_quota: -used }]]));
}

/** Takes from an account that this transaction has locked what no hold claims; false when there is less. */
export async function takeFree(db: Db, accountId: number, amount: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set((e) => ({ balance: e('balance', '-', amount) }))
    .where('id', '=', accountId)
    .where((e) => e(e('balance', '-', e.ref('held')), '>=', amount))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Takes from a user's invitation reward; false when there is less. */
export async function takeReward(db: Db, userId: number, amount: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set((e) => ({ aff_quota: e('aff_quota', '-', amount) }))
    .where('id', '=', userId)
    .where('aff_quota', '>=', amount)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Adds to a user's invitation reward, which its lifetime sum remembers. */
export async function addReward(db: Db, userId: number, amount: number): Promise<void> {
  await db
    .updateTable('users')
    .set((e) => ({ aff_quota: e('aff_quota', '+', amount), aff_history: e('aff_history', '+', amount) }))
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
}

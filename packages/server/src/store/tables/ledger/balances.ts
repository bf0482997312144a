import { sql } from 'kysely';
import type { CompiledQuery, RawBuilder } from 'kysely';
import { dialectOf, readTogether, sendTogether } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { Database } from '../../schema/index.ts';
import { batches } from '../shared.ts';

/** The planned row differs from the stored one: plan again on the stored rows. */
export class StaleBooks extends Error {
  constructor(table: string, id: number | string) {
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
  /** As read: a plan on other figures is not written. */
  readonly nextExpiry: number;
  readonly expired: number;
}

/** Figures of a limit before and after: a token's allowance, or the rest of a member's limit. */
export interface MeterChange {
  readonly id: number;
  readonly remain: number;
  readonly held: number;
  readonly storedRemain: number;
  readonly storedHeld: number;
  /** The value that was read: a plan for a limited meter must not be written to an unlimited one. */
  readonly unlimited: boolean;
  /** Growth of `used_quota`. */
  readonly used: number;
}

/** A token's figures before and after. */
export interface TokenChange extends MeterChange {
  /** Unix seconds; 0 leaves `accessed_time` unchanged. */
  readonly accessedAt: number;
}

/** Growth of a user's totals. */
export interface UserChange {
  readonly quota: number;
  readonly requests: number;
}

/** Accounts, without a lock. */
export async function readAccounts(db: Db, ids: Iterable<number>) {
  const rows = [];
  for (const some of batches([...ids])) {
    rows.push(...(await db.selectFrom('accounts').selectAll().where('id', 'in', some).execute()));
  }
  return rows;
}

/** Ids in their order, in lists for one statement each. */
export const inOrder = (ids: Iterable<number>): number[][] => batches([...ids].toSorted((a, b) => a - b));

/** Locks accounts until the transaction ends, in id order so that two processes never wait for each other in a circle. */
export const accountLocks = (db: Db, ids: Iterable<number>) =>
  inOrder(ids).map((some) => {
    const query = db.selectFrom('accounts').selectAll().where('id', 'in', some).orderBy('id');
    return dialectOf(db).lockRows(query).compile();
  });

/** Locks tokens until the transaction ends, in id order. Take the locks of accounts first. */
export const tokenLocks = (db: Db, ids: Iterable<number>) =>
  inOrder(ids).map((some) => {
    const query = db
      .selectFrom('tokens')
      .select(['id', 'user_id', 'remain_quota', 'held', 'unlimited_quota'])
      .where('id', 'in', some)
      .orderBy('id');
    return dialectOf(db).lockRows(query).compile();
  });

/** Locks members of teams until the transaction ends, in id order. Take the locks of accounts and tokens first. */
export const memberLocks = (db: Db, ids: Iterable<number>) =>
  inOrder(ids).map((some) => {
    const query = db
      .selectFrom('team_members')
      .select(['id', 'team_id', 'user_id', 'remain_quota', 'held', 'unlimited_quota'])
      .where('id', 'in', some)
      .orderBy('id');
    return dialectOf(db).lockRows(query).compile();
  });

/** Executes `accountLocks` and returns the rows. */
export const lockAccounts = async (db: Db, ids: Iterable<number>) =>
  (await readTogether(db, accountLocks(db, ids)))[0];

/** Executes `tokenLocks` and returns the rows. */
export const lockTokens = async (db: Db, ids: Iterable<number>) =>
  (await readTogether(db, tokenLocks(db, ids)))[0];

/** Executes `memberLocks` and returns the rows. */
export const lockMembers = async (db: Db, ids: Iterable<number>) =>
  (await readTogether(db, memberLocks(db, ids)))[0];

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

/** One figure per row id. Whole numbers, so they can be part of the text: parameters would have no type here. */
export const byId = (
  figures: Iterable<readonly [number, number]>,
  otherwise: RawBuilder<unknown>,
): RawBuilder<number> => {
  const cases = [...figures].map(([key, figure]) => sql`when ${whole(key)} then ${whole(figure)}`);
  return sql<number>`case id ${sql.join(cases, sql` `)} else ${otherwise} end`;
};

export function whole(value: number): RawBuilder<unknown> {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number: ${value}`);
  return sql.lit(value);
}

type Summed = 'accounts' | 'tokens' | 'team_members' | 'users' | 'channels' | 'budgets';

/** A statement that writes, and the locked rows that it must find. */
export interface Write {
  readonly query: CompiledQuery;
  readonly finds?: { readonly table: Summed; readonly ids: readonly number[] };
}

/** Executes writes in their order, together. Throws StaleBooks if one does not find its rows. */
export async function write(db: Db, writes: readonly Write[]): Promise<void> {
  const results = await sendTogether(
    db,
    writes.map(({ query }) => query),
  );
  for (const [index, { finds }] of writes.entries()) {
    if (finds && Number(results[index]?.numAffectedRows ?? 0n) !== finds.ids.length)
      throw new StaleBooks(finds.table, finds.ids[0] ?? 0);
  }
}

/** Growth of columns by row id; all rows name the same columns. */
type Growth = ReadonlyMap<number, Readonly<Record<string, number>>>;

/** Adds to columns of several rows, in few statements. `more` sets further columns of them. */
function growths(
  db: Db,
  table: Summed,
  growth: Growth,
  {
    mayMiss = false,
    more,
  }: { mayMiss?: boolean; more?: (ids: readonly number[]) => RawBuilder<unknown>[] } = {},
): Write[] {
  const sorted = [...growth].toSorted(([a], [b]) => a - b);
  return batches(sorted).map((some) => {
    const ids = some.map(([id]) => id);
    const columns = Object.keys(some[0]![1]);
    const set = columns.map((column) => {
      const figures = some.map(([id, row]) => [id, row[column] ?? 0] as const);
      return sql`${sql.ref(column)} = ${sql.ref(column)} + ${byId(figures, sql.lit(0))}`;
    });
    const where = sql.join(ids.map(whole));
    const query = sql`update ${sql.table(table satisfies keyof Database)} set ${sql.join([...set, ...(more?.(ids) ?? [])])} where id in (${where})`;
    return { query: query.compile(db), ...(!mayMiss && { finds: { table, ids } }) };
  });
}

/** Writes balances and holds of accounts that this transaction has locked. */
export function accountWrites(db: Db, changes: Iterable<AccountChange>): Write[] {
  const growth = new Map<number, Record<string, number>>();
  for (const change of changes) {
    const balance = change.balance - change.storedBalance;
    const held = change.held - change.storedHeld;
    if (balance !== 0 || held !== 0) growth.set(change.id, { balance, held });
  }
  return growths(db, 'accounts', growth);
}

/** Adds to the sums of grants of accounts that this transaction has locked. */
export const grantedWrites = (db: Db, granted: ReadonlyMap<number, number>): Write[] =>
  growths(
    db,
    'accounts',
    new Map([...granted].flatMap(([id, amount]) => (amount === 0 ? [] : [[id, { granted: amount }]]))),
  );

/** Growth of meters that changed, or that `isWanted`. */
function meterGrowth<Change extends MeterChange>(
  changes: Iterable<Change>,
  isWanted: (change: Change) => boolean = () => false,
): Growth {
  const growth = new Map<number, Record<string, number>>();
  for (const change of changes) {
    const remain = change.remain - change.storedRemain;
    const held = change.held - change.storedHeld;
    if (remain !== 0 || held !== 0 || change.used !== 0 || isWanted(change))
      growth.set(change.id, { remain_quota: remain, held, used_quota: change.used });
  }
  return growth;
}

/** Writes allowances, holds, use and the last access of tokens that this transaction has locked. */
export function tokenWrites(db: Db, changes: Iterable<TokenChange>): Write[] {
  const all = [...changes];
  const accessed = new Map(all.flatMap(({ id, accessedAt }) => (accessedAt === 0 ? [] : [[id, accessedAt]])));
  const more = (ids: readonly number[]): RawBuilder<unknown>[] => {
    const times = ids.flatMap((id) => (accessed.has(id) ? [[id, accessed.get(id)!] as const] : []));
    return times.length === 0 ? [] : [sql`accessed_time = ${byId(times, sql.ref('accessed_time'))}`];
  };
  return growths(
    db,
    'tokens',
    meterGrowth(all, ({ accessedAt }) => accessedAt !== 0),
    { more },
  );
}

/** Writes rests of limits, holds and use of members that this transaction has locked. */
export const memberWrites = (db: Db, changes: Iterable<MeterChange>): Write[] =>
  growths(db, 'team_members', meterGrowth(changes));

/** Adds to used_quota and request_count of users; a missing user is no error. */
export const userWrites = (db: Db, users: ReadonlyMap<number, UserChange>): Write[] =>
  growths(
    db,
    'users',
    new Map(
      [...users].map(([id, { quota, requests }]) => [id, { used_quota: quota, request_count: requests }]),
    ),
    { mayMiss: true },
  );

/** Adds to used_quota of channels; a channel that was deleted meanwhile is no error. */
export const channelWrites = (db: Db, channels: ReadonlyMap<number, number>): Write[] =>
  growths(db, 'channels', new Map([...channels].map(([id, quota]) => [id, { used_quota: quota }])), {
    mayMiss: true,
  });

/** Adds to the balance of an account that this transaction has locked; false if the balance would become negative. */
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

/** Adds to the rest of a member's limit; this transaction has locked the row. */
export async function addToLimit(db: Db, memberId: number, delta: number): Promise<void> {
  await db
    .updateTable('team_members')
    .set((e) => ({ remain_quota: e('remain_quota', '+', delta) }))
    .where('id', '=', memberId)
    .executeTakeFirstOrThrow();
}

/** Returns an amount to a limit and subtracts it from its use; this transaction has locked the row. */
export async function giveBack(
  db: Db,
  table: 'tokens' | 'team_members',
  id: number,
  { delta, used }: { delta: number; used: number },
): Promise<void> {
  await write(db, growths(db, table, new Map([[id, { remain_quota: delta, used_quota: -used }]])));
}

/** Subtracts an amount that is neither held nor expired from an account locked by this transaction; false if less is available. */
export async function takeFree(db: Db, accountId: number, amount: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set((e) => ({ balance: e('balance', '-', amount) }))
    .where('id', '=', accountId)
    .where((e) => e(e('balance', '-', e('held', '+', e.ref('expired'))), '>=', amount))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Subtracts from a user's invitation reward; false if it is smaller. */
export async function takeReward(db: Db, userId: number, amount: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set((e) => ({ aff_quota: e('aff_quota', '-', amount) }))
    .where('id', '=', userId)
    .where('aff_quota', '>=', amount)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Adds to a user's invitation reward and to its lifetime sum. */
export async function addReward(db: Db, userId: number, amount: number): Promise<void> {
  await db
    .updateTable('users')
    .set((e) => ({ aff_quota: e('aff_quota', '+', amount), aff_history: e('aff_history', '+', amount) }))
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
}

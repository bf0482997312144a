import type { Insertable, Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { GrantTable } from '../../schema/money.ts';
import { batches } from '../shared.ts';
import { StaleBooks } from './balances.ts';

export type GrantRow = Selectable<GrantTable>;
export type NewGrant = Omit<Insertable<GrantTable>, 'id' | 'kept_for' | 'noticed_days' | 'notice_until'>;

/** Grants of an account with a rest, by id. The account is locked by this transaction. */
export const lockWithRest = (db: Db, accountId: number): Promise<GrantRow[]> =>
  dialectOf(db)
    .lockRows(
      db
        .selectFrom('grants')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('remain', '>', 0)
        .orderBy('id'),
    )
    .execute();

/** Grants of an account, newest first. */
export const list = (db: Db, accountId: number, limit: number): Promise<GrantRow[]> =>
  db
    .selectFrom('grants')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Seconds in a day. */
const day = 86_400;

/** Grants that expire in at most this many days and have had no notice of it yet, and that were given before. */
export const dueForNotice = (
  db: Db,
  { at, days, from, limit }: { at: number; days: number; from: number; limit: number },
): Promise<GrantRow[]> =>
  db
    .selectFrom('grants')
    .selectAll()
    .where('remain', '>', 0)
    .where('kept_for', '=', '')
    .where('expires_at', '>', at + from * day)
    .where('expires_at', '<=', at + days * day)
    .where((e) => e('created_at', '<', e(e.ref('expires_at'), '-', days * day)))
    .where((e) => e.or([e('noticed_days', '=', 0), e('noticed_days', '>', days)]))
    .where('notice_until', '<=', at)
    .orderBy('account_id')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Takes the notice about a grant for one process until a time; false if another one has it, or has sent it. */
export async function claimNotice(
  db: Db,
  { id, noticed_days: noticed, notice_until: before }: GrantRow,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('grants')
    .set({ notice_until: until })
    .where('id', '=', id)
    .where('noticed_days', '=', noticed)
    .where('notice_until', '=', before)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Records that the notice of so many days before the expiry is done. */
export async function noteNoticed(db: Db, ids: readonly number[], days: number): Promise<void> {
  await db
    .updateTable('grants')
    .set({ noticed_days: days, notice_until: 0 })
    .where('id', 'in', ids)
    .execute();
}

/** A wallet with its grants that have a rest. */
export interface WalletGrants {
  accountId: number;
  balance: number;
  grants: GrantRow[];
}

/**
 * Wallets with a balance or a grant with a rest, by id: the `limit` after the account `after`, or those of `ids`. One
 * statement, so that the figures of each wallet are of one moment.
 */
export async function wallets(
  db: Db,
  which: { ids: readonly number[] } | { after: number; limit: number },
): Promise<WalletGrants[]> {
  const accounts = db
    .selectFrom('accounts')
    .select(['id', 'balance'])
    .where((e) => e.or([e('balance', '>', 0), e('granted', '>', 0)]))
    .$if('ids' in which, (query) => query.where('id', 'in', 'ids' in which ? which.ids : []))
    .$if('after' in which, (query) => {
      const { after, limit } = which as { after: number; limit: number };
      return query.where('id', '>', after).orderBy('id').limit(limit);
    });
  const rows = await db
    .selectFrom(accounts.as('a'))
    .leftJoin('grants as g', (join) => join.onRef('g.account_id', '=', 'a.id').on('g.remain', '>', 0))
    .select(['a.id as wallet', 'a.balance as balance'])
    .selectAll('g')
    .orderBy('a.id')
    .orderBy('g.id')
    .execute();
  const found = new Map<number, WalletGrants>();
  for (const { wallet, balance, ...grant } of rows) {
    const known = found.get(wallet) ?? { accountId: wallet, balance, grants: [] };
    if (grant.id !== null) known.grants.push(grant as GrantRow);
    found.set(wallet, known);
  }
  return [...found.values()];
}

/**
 * Grants of an account that were used and have not expired, newest first: a refund goes back to them. The account is
 * locked by this transaction.
 */
export const lockUsed = (db: Db, accountId: number, at: number, limit: number): Promise<GrantRow[]> =>
  dialectOf(db)
    .lockRows(
      db
        .selectFrom('grants')
        .selectAll()
        .where('account_id', '=', accountId)
        .where((e) => e('remain', '<', e.ref('amount')))
        .where((e) => e.or([e('expires_at', '=', 0), e('expires_at', '>', at)]))
        .where('kept_for', '=', '')
        .orderBy('id', 'desc')
        .limit(limit),
    )
    .execute();

export async function insert(db: Db, rows: readonly NewGrant[]): Promise<void> {
  for (const some of batches(rows))
    await db
      .insertInto('grants')
      .values(some.map((row) => ({ ...row, kept_for: '' })))
      .execute();
}

/** Writes the rest of a grant that was read as `before`. Throws StaleBooks if it has changed since. */
export async function setRest(
  db: Db,
  { id, remain: before }: Pick<GrantRow, 'id' | 'remain'>,
  { remain, keptFor = '' }: { remain: number; keptFor?: string },
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('grants')
    .set({ remain, kept_for: keptFor })
    .where('id', '=', id)
    .where('remain', '=', before)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) throw new StaleBooks('grant', id);
}

/** The grant of an entry of the ledger. */
export const findByTxn = (db: Db, txn: string): Promise<GrantRow | undefined> =>
  db.selectFrom('grants').selectAll().where('txn', '=', txn).executeTakeFirst();

export const find = (db: Db, id: number): Promise<GrantRow | undefined> =>
  db.selectFrom('grants').selectAll().where('id', '=', id).executeTakeFirst();

/** Takes a part out of a grant, which is not refundable from then on. Throws StaleBooks if its rest has changed. */
export async function shrink(
  db: Db,
  { id, remain: before }: Pick<GrantRow, 'id' | 'remain'>,
  { amount, remain, paid }: Pick<GrantRow, 'amount' | 'remain' | 'paid'>,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('grants')
    .set({ amount, remain, paid, refundable: 0 })
    .where('id', '=', id)
    .where('remain', '=', before)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) throw new StaleBooks('grant', id);
}

/** Changes of the figures of an account beside its grants. */
export interface GrantFigures {
  /** Growth of the balance. */
  balance: number;
  /** The new sums and times. */
  granted: number;
  nextExpiry: number;
  expired: number;
}

/** Writes them to an account that this transaction has locked; false if the balance would be less than 0. */
export async function writeFigures(
  db: Db,
  accountId: number,
  { balance, granted, nextExpiry, expired }: GrantFigures,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set((e) => ({
      balance: e('balance', '+', balance),
      granted,
      next_expiry: nextExpiry,
      expired,
    }))
    .where('id', '=', accountId)
    .where('balance', '>=', -balance)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Ids and amounts of the holds of an account, oldest first. */
export const holdsOf = (db: Db, accountId: number) =>
  db
    .selectFrom('holds')
    .select(['request_id', 'amount'])
    .where('account_id', '=', accountId)
    .orderBy('at')
    .orderBy('request_id')
    .execute();

/** Accounts with a rest in a grant that has expired. */
export async function accountsDue(db: Db, at: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('grants')
    .select('account_id')
    .distinct()
    .where('expires_at', '>', 0)
    .where('expires_at', '<=', at)
    .where('remain', '>', 0)
    .limit(limit)
    .execute();
  return rows.map((row) => row.account_id);
}

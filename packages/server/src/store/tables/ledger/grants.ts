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

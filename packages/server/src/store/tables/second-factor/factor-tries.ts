import { type Selectable, sql } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { FactorTryTable } from '../../schema/people.ts';
import { countOf } from '../shared.ts';

export type FactorTryRow = Selectable<FactorTryTable>;

/** Number of wrong codes that lock an account, and the lock time: the first time, and each further time. */
export interface TryLimit {
  every: number;
  firstSeconds: number;
  laterSeconds: number;
}

/**
 * Counts a try before it is checked; false while the account is locked. The try that reaches the limit locks by the
 * same statement, so that of many concurrent tries no more are checked than the limit allows.
 */
export async function countTry(db: Db, userId: number, limit: TryLimit, now: number): Promise<boolean> {
  const blank = { user_id: userId, failed: 0, locked_until: 0 };
  await dialectOf(db).insertIfNew(db.insertInto('factor_tries').values(blank), ['user_id']);
  const { every, firstSeconds, laterSeconds } = limit;
  const result = await db
    .updateTable('factor_tries')
    .set({
      // Precedes `failed`, because MySQL reads the new value of a column that was set already.
      locked_until: sql<number>`case
        when (failed + 1) % ${sql.lit(every)} <> 0 then locked_until
        when failed + 1 = ${sql.lit(every)} then ${sql.lit(now + firstSeconds)}
        else ${sql.lit(now + laterSeconds)} end`,
      failed: sql<number>`failed + 1`,
    })
    .where('user_id', '=', userId)
    .where('locked_until', '<=', now)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

export const find = (db: Db, userId: number): Promise<FactorTryRow | undefined> =>
  db.selectFrom('factor_tries').selectAll().where('user_id', '=', userId).executeTakeFirst();

/** Resets the count after a correct code. */
export async function forget(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('factor_tries').where('user_id', '=', userId).execute();
}

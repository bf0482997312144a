import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { SignInStartTable } from '../schema/people.ts';
import { countOf } from './shared.ts';

export type SignInStartRow = Selectable<SignInStartTable>;

/** Keeps a start; false when there is one of the same name. */
export const add = (db: Db, start: SignInStartRow): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('sign_in_starts').values(start), ['state_hash']);

/** Takes a start out, whole; undefined for all but one of those who try at once, and after its end. */
export async function take(db: Db, stateHash: string, now: number): Promise<SignInStartRow | undefined> {
  const row = await db
    .selectFrom('sign_in_starts')
    .selectAll()
    .where('state_hash', '=', stateHash)
    .executeTakeFirst();
  if (!row) return undefined;
  const result = await db
    .deleteFrom('sign_in_starts')
    .where('state_hash', '=', stateHash)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0 && row.expires_time > now ? row : undefined;
}

/** Sweeps the starts that expired before `now`. */
export async function removeExpired(db: Db, now: number): Promise<number> {
  return countOf(
    await db.deleteFrom('sign_in_starts').where('expires_time', '<=', now).executeTakeFirstOrThrow(),
  );
}

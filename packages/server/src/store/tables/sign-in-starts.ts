import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { SignInStartTable } from '../schema/people.ts';
import { countOf } from './shared.ts';

export type SignInStartRow = Selectable<SignInStartTable>;
type NewSignInStart = Omit<SignInStartRow, 'answer'>;

/** Stores a start; false if one of the same name exists. */
export const add = (db: Db, start: NewSignInStart): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('sign_in_starts').values(start), ['state_hash']);

/** True for a start at this provider that waits for its answer. */
export async function isOpen(
  db: Db,
  { stateHash, provider, now }: { stateHash: string; provider: string; now: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('sign_in_starts')
    .select('state_hash')
    .where('state_hash', '=', stateHash)
    .where('provider', '=', provider)
    .where('answer', 'is', null)
    .where('expires_time', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores the answer of a provider, once. */
export async function answer(db: Db, stateHash: string, text: string): Promise<boolean> {
  const result = await db
    .updateTable('sign_in_starts')
    .set({ answer: text })
    .where('state_hash', '=', stateHash)
    .where('answer', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Reads and removes a start; of concurrent attempts, one gets it. Undefined after its expiry. */
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

/** Deletes the starts that expired before `now`. */
export async function removeExpired(db: Db, now: number): Promise<number> {
  return countOf(
    await db.deleteFrom('sign_in_starts').where('expires_time', '<=', now).executeTakeFirstOrThrow(),
  );
}

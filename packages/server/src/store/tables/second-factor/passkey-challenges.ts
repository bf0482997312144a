import type { Selectable } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import type { PasskeyChallengeTable } from '../../schema/people.ts';
import { countOf } from '../shared.ts';

export type PasskeyChallengeRow = Selectable<PasskeyChallengeTable>;

export async function add(db: Db, challenge: PasskeyChallengeRow): Promise<void> {
  await db.insertInto('passkey_challenges').values(challenge).execute();
}

/** Uses an unexpired challenge of the same purpose, browser and user; of concurrent attempts, one gets true. */
export async function take(
  db: Db,
  asked: Omit<PasskeyChallengeRow, 'expires_time'>,
  now: number,
): Promise<boolean> {
  const result = await db
    .deleteFrom('passkey_challenges')
    .where('challenge_hash', '=', asked.challenge_hash)
    .where('purpose', '=', asked.purpose)
    .where('bound_hash', '=', asked.bound_hash)
    .where('user_id', '=', asked.user_id)
    .where('expires_time', '>', now)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Deletes the challenges that expired before `now`. */
export async function removeExpired(db: Db, now: number): Promise<number> {
  return countOf(
    await db.deleteFrom('passkey_challenges').where('expires_time', '<=', now).executeTakeFirstOrThrow(),
  );
}

import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { MailCodeTable } from '../schema/people.ts';
import { countOf } from './shared.ts';

export type MailCodeRow = Selectable<MailCodeTable>;
/** Purpose and owner of a code. */
export type MailCodeName = Pick<MailCodeRow, 'purpose' | 'email'>;

/** Stores a code; a former code for the same purpose and owner is no longer valid. */
export async function put(db: Db, code: Omit<MailCodeRow, 'tries'>): Promise<void> {
  const row = { ...code, tries: 0 };
  if (await dialectOf(db).insertIfNew(db.insertInto('mail_codes').values(row), ['purpose', 'email'])) return;
  const { purpose, email, ...change } = row;
  await db
    .updateTable('mail_codes')
    .set(change)
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .execute();
}

/** Counts a try before it is checked; false if the limit is reached, or no valid code exists. */
export async function countTry(
  db: Db,
  { purpose, email }: MailCodeName,
  limit: { tries: number; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('mail_codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('tries', '<', limit.tries)
    .where('expires_time', '>', limit.now)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

export const find = (db: Db, { purpose, email }: MailCodeName): Promise<MailCodeRow | undefined> =>
  db
    .selectFrom('mail_codes')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .executeTakeFirst();

/** Uses a code; of concurrent attempts, one gets true. */
export async function use(
  db: Db,
  { purpose, email, code_hash: hash }: MailCodeName & Pick<MailCodeRow, 'code_hash'>,
): Promise<boolean> {
  const result = await db
    .deleteFrom('mail_codes')
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('code_hash', '=', hash)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Deletes the codes that expired before `now`. */
export async function removeExpired(db: Db, now: number): Promise<number> {
  return countOf(
    await db.deleteFrom('mail_codes').where('expires_time', '<=', now).executeTakeFirstOrThrow(),
  );
}

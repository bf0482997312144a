import type { Selectable } from 'kysely';
import type { Db } from '../dialects/types.ts';
import type { SessionTable } from '../schema/people.ts';
import { countOf } from './shared.ts';

export type SessionRow = Selectable<SessionTable>;

export async function create(db: Db, session: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(session).execute();
}

/** The session with this hash, expired or not: the caller checks the time and the limits. */
export const find = (db: Db, idHash: string): Promise<SessionRow | undefined> =>
  db.selectFrom('sessions').selectAll().where('id_hash', '=', idHash).executeTakeFirst();

/** Stores the last use of the session, and its new expiry. */
export async function touch(db: Db, idHash: string, seen: number, expires: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ seen_time: seen, expires_time: expires })
    .where('id_hash', '=', idHash)
    .execute();
}

/** Stores a proof of identity by the session's owner. */
export async function noteProof(db: Db, idHash: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ proven_time: now }).where('id_hash', '=', idHash).execute();
}

/** A user's sessions, the most recently used one first. */
export const list = (db: Db, userId: number): Promise<SessionRow[]> =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('seen_time', 'desc')
    .orderBy('id_hash')
    .execute();

/** Ends a session; false if there was none. */
export async function remove(db: Db, idHash: string): Promise<boolean> {
  return countOf(await db.deleteFrom('sessions').where('id_hash', '=', idHash).executeTakeFirstOrThrow()) > 0;
}

/** Ends all sessions of a user except one. */
export async function removeAll(db: Db, userId: number, except?: string): Promise<number> {
  let query = db.deleteFrom('sessions').where('user_id', '=', userId);
  if (except !== undefined) query = query.where('id_hash', '!=', except);
  return countOf(await query.executeTakeFirstOrThrow());
}

/** Ends the sessions of a user except a number of the newest. */
export async function keepNewest(db: Db, userId: number, kept: number): Promise<void> {
  const newest = db
    .selectFrom('sessions')
    .select('id_hash')
    .where('user_id', '=', userId)
    .orderBy('created_time', 'desc')
    .orderBy('seen_time', 'desc')
    .orderBy('id_hash')
    .limit(kept);
  // MySQL allows a limit only in a derived table.
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id_hash', 'not in', db.selectFrom(newest.as('kept')).select('id_hash'))
    .execute();
}

/** Deletes the sessions that ended before `now`. */
export async function removeExpired(db: Db, now: number): Promise<number> {
  return countOf(await db.deleteFrom('sessions').where('expires_time', '<=', now).executeTakeFirstOrThrow());
}

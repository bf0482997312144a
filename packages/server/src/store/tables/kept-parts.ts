import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { KeptPartTable } from '../schema/calls.ts';
import { countOf } from './shared.ts';

export type KeptPartRow = Omit<Selectable<KeptPartTable>, 'id'>;

/** Stores pieces; those that are there already stay. */
export async function add(db: Db, pieces: readonly KeptPartRow[]): Promise<void> {
  for (const piece of pieces)
    await dialectOf(db).insertIfNew(db.insertInto('kept_parts').values(piece), ['object', 'place', 'piece']);
}

/** Pieces of an object behind one, in order. */
export const page = (
  db: Db,
  object: string,
  after: Pick<KeptPartRow, 'place' | 'piece'>,
  limit: number,
): Promise<KeptPartRow[]> =>
  db
    .selectFrom('kept_parts')
    .selectAll()
    .where('object', '=', object)
    .where((e) =>
      e.or([
        e('place', '>', after.place),
        e.and([e('place', '=', after.place), e('piece', '>', after.piece)]),
      ]),
    )
    .orderBy('place')
    .orderBy('piece')
    .limit(limit)
    .execute();

/** The pieces of a part. */
export const ofPlace = (db: Db, object: string, place: number): Promise<KeptPartRow[]> =>
  db
    .selectFrom('kept_parts')
    .selectAll()
    .where('object', '=', object)
    .where('place', '=', place)
    .orderBy('piece')
    .execute();

/** Number of parts of an object from a place. */
export async function count(db: Db, object: string, from: number): Promise<number> {
  const { parts } = await db
    .selectFrom('kept_parts')
    .select((e) => e.fn.countAll<number>().as('parts'))
    .where('object', '=', object)
    .where('piece', '=', 0)
    .where('place', '>=', from)
    .executeTakeFirstOrThrow();
  return Number(parts);
}

/** Characters that are stored for a user, or for all. */
export async function size(db: Db, userId?: number): Promise<number> {
  const { length } = await db
    .selectFrom('kept_parts')
    .select((e) => e.fn.sum<number | null>('size').as('length'))
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .executeTakeFirstOrThrow();
  return Number(length ?? 0);
}

/** Deletes all of a user. */
export async function removeOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('kept_parts').where('user_id', '=', userId).execute();
}

/** Sets the expiry of an object (Unix seconds). */
export async function extend(db: Db, object: string, expiresAt: number): Promise<void> {
  await db.updateTable('kept_parts').set({ expires_at: expiresAt }).where('object', '=', object).execute();
}

export async function remove(db: Db, object: string): Promise<void> {
  await db.deleteFrom('kept_parts').where('object', '=', object).execute();
}

/** Deletes what has expired; returns the number of rows. */
export const removeExpired = async (db: Db, now: number): Promise<number> =>
  countOf(await db.deleteFrom('kept_parts').where('expires_at', '<=', now).executeTakeFirstOrThrow());

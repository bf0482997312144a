import type { Insertable, Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { VendorObjectTable } from '../schema/calls.ts';
import { batches, countOf } from './shared.ts';

export type VendorObjectRow = Selectable<VendorObjectTable>;

/** One object of one user. */
interface ObjectKey {
  name: string;
  user_id: number;
}

export async function create(db: Db, row: Insertable<VendorObjectTable>): Promise<void> {
  await db.insertInto('vendor_objects').values(row).execute();
}

/** Stores objects; one with the same name and user gets the new place. Names must differ. */
export async function note(db: Db, objects: readonly Insertable<VendorObjectTable>[]): Promise<void> {
  const { incoming, upsert } = dialectOf(db);
  for (const part of batches(objects)) {
    await db
      .insertInto('vendor_objects')
      .values(part)
      .modifyEnd(
        upsert(['name', 'user_id'], {
          channel_id: incoming('channel_id'),
          key_id: incoming<string>('key_id'),
          expires_at: incoming('expires_at'),
        }),
      )
      .execute();
  }
}

/** Number and bytes of a user's objects of some kinds, with those that are being uploaded. */
export async function sizeOf(
  db: Db,
  userId: number,
  kinds: readonly VendorObjectRow['kind'][],
  now: number,
): Promise<{ objects: number; bytes: number }> {
  const { objects, bytes } = await db
    .selectFrom('vendor_objects')
    .select(({ fn }) => [fn.countAll<number>().as('objects'), fn.sum<number | null>('bytes').as('bytes')])
    .where('user_id', '=', userId)
    .where('kind', 'in', kinds)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return { objects: Number(objects), bytes: Number(bytes ?? 0) };
}

/** Changes an object; false if there is none. */
export async function update(
  db: Db,
  { name, user_id }: ObjectKey,
  changes: Partial<Omit<VendorObjectRow, 'id'>>,
): Promise<boolean> {
  const changed = await db
    .updateTable('vendor_objects')
    .set(changes)
    .where('name', '=', name)
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  return countOf(changed) > 0;
}

export async function remove(db: Db, { name, user_id }: ObjectKey): Promise<void> {
  await db.deleteFrom('vendor_objects').where('name', '=', name).where('user_id', '=', user_id).execute();
}

/** Changes the purpose of an object from one to another; false if it has changed meanwhile. */
export async function changePurpose(db: Db, name: string, from: string, to: string): Promise<boolean> {
  const changed = await db
    .updateTable('vendor_objects')
    .set({ purpose: to })
    .where('name', '=', name)
    .where('purpose', '=', from)
    .executeTakeFirstOrThrow();
  return countOf(changed) > 0;
}

/** Deletes an object whose name contains its user. */
export async function removeNamed(db: Db, name: string): Promise<void> {
  await db.deleteFrom('vendor_objects').where('name', '=', name).execute();
}

/** The objects with these names, of all users. */
export const named = (db: Db, names: readonly string[], now: number): Promise<VendorObjectRow[]> =>
  db
    .selectFrom('vendor_objects')
    .selectAll()
    .where('name', 'in', names)
    .where('expires_at', '>', now)
    .execute();

/** A page of a user's objects. */
interface ObjectPage {
  userId: number;
  kind: VendorObjectRow['kind'];
  /** '' for all. */
  purpose: string;
  /** Only those with these names; undefined for all. */
  names: readonly string[] | undefined;
  /** The id of the row before the page; 0 for the first page. */
  after: number;
  descending: boolean;
  limit: number;
  now: number;
}

/** Complete objects of a user, in the order of their upload. */
export function list(db: Db, page: ObjectPage): Promise<VendorObjectRow[]> {
  const { userId, kind, purpose, names, after, descending, limit, now } = page;
  return db
    .selectFrom('vendor_objects')
    .selectAll()
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('body', '!=', '')
    .where('expires_at', '>', now)
    .$if(purpose !== '', (query) => query.where('purpose', '=', purpose))
    .$if(names !== undefined, (query) => query.where('name', 'in', names!))
    .$if(after > 0, (query) => query.where('id', descending ? '<' : '>', after))
    .orderBy('id', descending ? 'desc' : 'asc')
    .limit(limit)
    .execute();
}

/** Deletes what has expired; returns the number of rows. */
export async function removeExpired(db: Db, now: number): Promise<number> {
  return countOf(
    await db.deleteFrom('vendor_objects').where('expires_at', '<=', now).executeTakeFirstOrThrow(),
  );
}

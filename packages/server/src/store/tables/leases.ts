import { sql } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { countOf } from './shared.ts';

// Leases are rows of the change marks, like heartbeats, with their end as the version. It is negative, so that
// queries for changes never return them.

/**
 * Takes a lease that is free at `now`; of concurrent attempts one succeeds. All times are whole numbers of one unit.
 */
export async function take(db: Db, name: string, now: number, until: number): Promise<boolean> {
  if (await change(db, name, sql<boolean>`version > ${-now}`, until)) return true;
  // The first caller writes an expired lease, which any caller may then take.
  await db
    .insertInto('change_marks')
    .values({ name, version: 0 })
    .modifyEnd(dialectOf(db).upsert(['name'], { version: sql.ref('change_marks.version') }))
    .execute();
  return change(db, name, sql<boolean>`version > ${-now}`, until);
}

/** Extends a lease by its present end, which only its holder knows; false if another process has taken it. */
export const renew = (db: Db, name: string, from: number, until: number): Promise<boolean> =>
  change(db, name, sql<boolean>`version = ${-from}`, until);

/** Releases a lease before its end. */
export async function release(db: Db, name: string, until: number): Promise<void> {
  await db.deleteFrom('change_marks').where('name', '=', name).where('version', '=', -until).execute();
}

/** Removes a lease of any holder. */
export async function drop(db: Db, name: string): Promise<void> {
  await db.deleteFrom('change_marks').where('name', '=', name).execute();
}

async function change(
  db: Db,
  name: string,
  condition: ReturnType<typeof sql<boolean>>,
  until: number,
): Promise<boolean> {
  const query = db
    .updateTable('change_marks')
    .set({ version: -until })
    .where('name', '=', name)
    .where(condition);
  return countOf(await query.executeTakeFirstOrThrow()) > 0;
}

import { sql } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { countOf } from './shared.ts';

// Leases stand among the change marks, as heartbeats do, with the time of their end in the place of a version. Below
// zero, so that those who ask what changed never see them.

/** Takes a lease where nobody has it at `now`; of those who try at once, one gets it. Times are in one unit, whole numbers. */
export async function take(db: Db, name: string, now: number, until: number): Promise<boolean> {
  if (await change(db, name, sql<boolean>`version > ${-now}`, until)) return true;
  // The first one ever writes a lease that has run out, which all who come may then take.
  await db
    .insertInto('change_marks')
    .values({ name, version: 0 })
    .modifyEnd(dialectOf(db).upsert(['name'], { version: sql.ref('change_marks.version') }))
    .execute();
  return change(db, name, sql<boolean>`version > ${-now}`, until);
}

/** Makes a lease longer whose end is known to its holder alone; false where somebody else has taken it. */
export const renew = (db: Db, name: string, from: number, until: number): Promise<boolean> =>
  change(db, name, sql<boolean>`version = ${-from}`, until);

/** Gives a lease back before its end. */
export async function release(db: Db, name: string, until: number): Promise<void> {
  await db.deleteFrom('change_marks').where('name', '=', name).where('version', '=', -until).execute();
}

/** Takes a lease away, no matter who has it. */
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

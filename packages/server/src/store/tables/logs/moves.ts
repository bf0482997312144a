import { hourOf } from '../../../lib/clock.ts';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { batches } from '../shared.ts';
import { forgetUntil, mark } from './hours/marks.ts';
import { addSums } from './hours/sums.ts';
import type { LogRow } from './log-page.ts';
import type { IdRange } from '../log-archive/sides.ts';

/** The id of the newest row; 0 for none. */
export async function newestId(db: Db): Promise<number> {
  const row = await db
    .selectFrom('logs')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** Rows of a range in the order of their ids. */
export async function rowsIn(db: Db, { above = 0, upTo }: IdRange, limit: number): Promise<LogRow[]> {
  let query = db.selectFrom('logs').selectAll().where('id', '>', above);
  if (upTo !== undefined) query = query.where('id', '<=', upTo);
  return query.orderBy('id').limit(limit).execute();
}

/** Number of rows above the cut that are older than a moment (Unix seconds), counted up to `most`. */
export async function countWaiting(db: Db, above: number, before: number, most = Infinity): Promise<number> {
  const rows = db
    .selectFrom('logs')
    .select('id')
    .where('id', '>', above)
    .where('created_at', '<', before)
    .$if(most < Infinity, (query) => query.limit(most));
  const { count } = await db
    .selectFrom(rows.as('waiting'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The rows with these ids. */
export const byIds = (db: Db, ids: readonly number[]): Promise<LogRow[]> =>
  db.selectFrom('logs').selectAll().where('id', 'in', ids).orderBy('id').execute();

/** The same under a lock, with their current values. */
export const lockByIds = (db: Db, ids: readonly number[]): Promise<LogRow[]> =>
  dialectOf(db)
    .lockRows(db.selectFrom('logs').selectAll().where('id', 'in', ids).orderBy('id'))
    .execute();

/** Deletes rows that the archive has as well; sums are not concerned. */
export async function drop(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('logs').where('id', 'in', ids).execute();
}

/** Overwrites the archive's rows with copies, and marks their hours. Part of a transaction. */
export async function putCopies(archive: Db, rows: readonly LogRow[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  const before = await archive.selectFrom('logs').select('created_at').where('id', 'in', ids).execute();
  await archive.deleteFrom('logs').where('id', 'in', ids).execute();
  for (const part of batches(rows)) await archive.insertInto('logs').values(part).execute();
  await mark(archive, hoursOf([...before, ...rows]));
}

/** Removes copies above the cut from an earlier attempt, and marks their hours. Part of a transaction. */
export async function dropCopiesAbove(archive: Db, cut: number): Promise<void> {
  const left = await archive.selectFrom('logs').select('created_at').where('id', '>', cut).execute();
  if (left.length === 0) return;
  await archive.deleteFrom('logs').where('id', '>', cut).execute();
  await mark(archive, hoursOf(left));
}

/** The hours of the rows. */
export const hoursOf = (rows: readonly Pick<LogRow, 'created_at'>[]): number[] => [
  ...new Set(rows.map((row) => hourOf(row.created_at))),
];

/** True if two rows are equal in every column. */
export const isSame = (a: LogRow, b: LogRow | undefined): boolean =>
  b !== undefined && (Object.keys(a) as (keyof LogRow)[]).every((column) => a[column] === b[column]);

/** The ids of changes stored in an archive. */
export async function rememberedChanges(archive: Db): Promise<number[]> {
  const rows = await archive.selectFrom('log_changes').select('id').execute();
  return rows.map(({ id }) => id);
}

/** The newest rows up to an id, at most `limit`, in the order of their ids. */
export async function lastRows(archive: Db, upTo: number, limit: number): Promise<LogRow[]> {
  const rows = archive.selectFrom('logs').selectAll().where('id', '<=', upTo);
  return (await rows.orderBy('id', 'desc').limit(limit).execute()).toReversed();
}

/** Writes missing rows, and marks their hours. Part of a transaction. */
export async function putBack(db: Db, rows: readonly LogRow[]): Promise<void> {
  if (rows.length === 0) return;
  // Rows here are newer than their copies in the archive.
  const there = await lockByIds(
    db,
    rows.map(({ id }) => id),
  );
  const known = new Set(there.map(({ id }) => id));
  for (const part of batches(rows.filter(({ id }) => !known.has(id))))
    await db.insertInto('logs').values(part).execute();
  await mark(db, hoursOf(rows));
}

/** The hours with charges of deleted rows in an archive. */
async function hoursOfDeleted(archive: Db): Promise<number[]> {
  const rows = await archive
    .selectFrom('log_hours')
    .select('hour')
    .where('gone', '=', 1)
    .groupBy('hour')
    .execute();
  return rows.map(({ hour }) => hour);
}

/** Adds an archive's sums of deleted rows to the sums of the main database. Part of a transaction there. */
export async function addDeletedOf(db: Db, archive: Db): Promise<void> {
  for (const hour of await hoursOfDeleted(archive)) {
    const sums = archive.selectFrom('log_hours').selectAll().where('hour', '=', hour).where('gone', '=', 1);
    await addSums(db, await sums.execute());
  }
}

/** Deletes the log of an archive, once none of its rows count. Part of a transaction. */
export async function clear(archive: Db): Promise<void> {
  for (const table of ['logs', 'log_hours', 'log_hour_marks', 'log_changes'] as const)
    await archive.deleteFrom(table).execute();
  await forgetUntil(archive);
}

/** True if an archive has rows, or sums of deleted rows. */
export async function hasRowsOrSums(archive: Db): Promise<boolean> {
  if ((await newestId(archive)) > 0) return true;
  const sum = await archive.selectFrom('log_hours').select('hour').limit(1).executeTakeFirst();
  return sum !== undefined;
}

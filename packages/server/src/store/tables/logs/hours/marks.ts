import { logType } from '@tollgate/contract';
import { sql } from 'kysely';
import { hourOf, systemClock } from '../../../../lib/clock.ts';
import { dialectOf, sendTogether } from '../../../db.ts';
import type { Db } from '../../../dialects/types.ts';
import { batches, countOf } from '../../shared.ts';

export const hourSeconds = 3600;

/**
 * Rows that are written at least this number of seconds after their time mark their hour. Rows are summed much later than
 * that, so that a row without a mark is there before its time is summed.
 */
const lateAfter = 60;

/** The hours of late rows, each once. */
export function lateHours(times: Iterable<number>): number[] {
  const bound = Math.floor(systemClock() / 1000) - lateAfter;
  const hours = new Set<number>();
  for (const at of times) if (at < bound) hours.add(hourOf(at));
  return [...hours];
}

/** Marks hours with outdated sums. Part of the transaction that changes the rows. */
export const mark = async (db: Db, hours: readonly number[]): Promise<void> =>
  void (await sendTogether(db, marksFor(db, hours)));

/** The statements of `mark`. */
export const marksFor = (db: Db, hours: readonly number[]) =>
  batches(hours).map((part) =>
    db
      .insertInto('log_hour_marks')
      .values(part.map((hour) => ({ hour })))
      .compile(),
  );

/** Marks the hours of the consumption rows of requests. */
export async function markOfRequests(db: Db, requestIds: readonly string[]): Promise<void> {
  await sql`insert into log_hour_marks (hour) select distinct created_at - created_at % ${sql.lit(hourSeconds)} from logs
    where request_id in (${sql.join(requestIds)}) and type = ${sql.lit(logType.consume)}`.execute(db);
}

// The end of the summed hours is a row of the change marks with a negative version, which queries for changes never
// return.
const UNTIL = 'log-hours';

/** The end of the summed time (Unix seconds), which may be within an hour; 0 before the first. */
export async function summedUntil(db: Db): Promise<number> {
  const row = await db
    .selectFrom('change_marks')
    .select('version')
    .where('name', '=', UNTIL)
    .executeTakeFirst();
  return row ? 0 - row.version : 0;
}

/** The same under a lock, so that it stays until the transaction ends. */
export async function lockSummedUntil(db: Db): Promise<number> {
  const query = db.selectFrom('change_marks').select('version').where('name', '=', UNTIL);
  const row = await dialectOf(db).lockRows(query).executeTakeFirst();
  return row ? 0 - row.version : 0;
}

/** Advances that end, which starts at 0; false if another process has advanced it meanwhile. */
export async function moveOn(db: Db, from: number, to: number): Promise<boolean> {
  if (from === 0) {
    const first = db.insertInto('change_marks').values({ name: UNTIL, version: 0 });
    await dialectOf(db).insertIfNew(first, ['name']);
  }
  const moved = db
    .updateTable('change_marks')
    .set({ version: 0 - to })
    .where('name', '=', UNTIL)
    .where('version', '=', 0 - from);
  return countOf(await moved.executeTakeFirstOrThrow()) > 0;
}

/** Deletes the end of the summed time, when all sums are deleted. */
export async function forgetUntil(db: Db): Promise<void> {
  await db.deleteFrom('change_marks').where('name', '=', UNTIL).execute();
}

/** The ids of an hour's marks. */
export async function findMarks(db: Db, hour: number): Promise<number[]> {
  const rows = await db.selectFrom('log_hour_marks').select('id').where('hour', '=', hour).execute();
  return rows.map(({ id }) => id);
}

/** The marked hours before `until`, the oldest first. */
export async function markedBefore(db: Db, until: number): Promise<number[]> {
  const rows = await db
    .selectFrom('log_hour_marks')
    .select('hour')
    .where('hour', '<', until)
    .groupBy('hour')
    .orderBy('hour')
    .execute();
  return rows.map(({ hour }) => hour);
}

/** The hour of the oldest row at or after a moment. */
export async function nextHour(db: Db, from: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('logs')
    .select('created_at')
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return row && hourOf(row.created_at);
}

import { sql } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { countOf } from './shared.ts';

/** A limit: a number within a window (ms) that starts with the first one. */
export interface NoticeLimit {
  count: number;
  windowMs: number;
}

/**
 * Increments a counter if its limit allows it; of concurrent attempts of all processes, as many succeed as the limit
 * allows. A window that starts in the future has ended: a clock that was set back stops no notices.
 */
export async function claim(db: Db, name: string, limit: NoticeLimit, now: number): Promise<boolean> {
  if (limit.count < 1) return false;
  if (await countMore(db, name, limit, now)) return true;
  const row = db.insertInto('notice_counts').values({ name, since: now, count: 1 });
  if (await dialectOf(db).insertIfNew(row, ['name'])) return true;
  // Another process inserted the row meanwhile; the limit may allow a second one.
  return countMore(db, name, limit, now);
}

async function countMore(db: Db, name: string, limit: NoticeLimit, now: number): Promise<boolean> {
  const isOver = sql<boolean>`(since <= ${now - limit.windowMs} or since > ${now})`;
  const result = await db
    .updateTable('notice_counts')
    // `count` first: MySQL reads the new value of a column that was set before.
    .set({
      count: sql<number>`case when ${isOver} then 1 else count + 1 end`,
      since: sql<number>`case when ${isOver} then ${now} else since end`,
    })
    .where('name', '=', name)
    .where((e) => e.or([isOver, e('count', '<', limit.count)]))
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Start of a name's window; undefined if nothing was counted. */
export async function since(db: Db, name: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('notice_counts')
    .select('since')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.since;
}

/** Removes a count that did not lead to a notice. */
export async function forget(db: Db, name: string): Promise<void> {
  await db.deleteFrom('notice_counts').where('name', '=', name).execute();
}

/** Deletes windows that began before a moment (Unix ms). */
export async function removeBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('notice_counts').where('since', '<', before).execute();
}

import type { Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { UsageReportTable } from '../../schema/money.ts';

export type UsageReportRow = Selectable<UsageReportTable>;

/** Adds a report; returns its id. */
export const insert = (db: Db, row: Omit<UsageReportRow, 'id'>): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('usage_reports').values(row));

/** The newest first, without their content. */
export const list = (db: Db, limit: number): Promise<Omit<UsageReportRow, 'content'>[]> =>
  db
    .selectFrom('usage_reports')
    .select(['id', 'source', 'name', 'channels', 'start_time', 'end_time', 'created_at', 'line_count'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export const find = (db: Db, id: number): Promise<UsageReportRow | undefined> =>
  db.selectFrom('usage_reports').selectAll().where('id', '=', id).executeTakeFirst();

/** Returns whether it existed. */
export async function remove(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('usage_reports')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { startingWith } from '../like.ts';
import { CONSUME, resolveUser, wholeFilter } from './log-filter.ts';
import type { LogFilter } from './log-filter.ts';
import type { LogRow } from './log-page.ts';
import { batches, countOf } from './shared.ts';

export { list } from './log-page.ts';
export type { LogPage, LogRow } from './log-page.ts';
export type { LogFilter } from './log-filter.ts';

export type NewLog = Omit<LogRow, 'id'>;

/** Widths of the text columns that have one. */
const widths = {
  username: 255,
  token_name: 255,
  model_name: 255,
  group: 64,
  request_id: 64,
} as const;

/**
 * The row as every database takes it: texts cut to the width of their columns, and without NUL, which PostgreSQL
 * refuses. A settlement must not fail because of the words in its log row.
 */
function fit(row: NewLog): NewLog {
  const fitted = { ...row, content: clean(row.content), other: clean(row.other) };
  for (const [column, width] of Object.entries(widths) as [keyof typeof widths, number][]) {
    fitted[column] = clean(row[column]).slice(0, width);
  }
  return fitted;
}

const clean = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text);

/** Writes rows that no settlement brings: top-ups, administration, errors. */
export async function insert(db: Db, rows: readonly NewLog[]): Promise<void> {
  for (const part of batches(rows)) await db.insertInto('logs').values(part.map(fit)).execute();
}

export interface LogStat {
  /** Quota units of all matching consumption. */
  quota: number;
  /** Matching consumption rows of the last 60 seconds. */
  rpm: number;
  /** Tokens, in and out, of those rows. */
  tpm: number;
}

/** Sums over consumption (wire-facts 8.2): the filter's type is ignored, and rpm and tpm ignore its times too. */
export async function stat(db: Db, filter: LogFilter, now: number): Promise<LogStat> {
  const dialect = dialectOf(db);
  const known = await resolveUser(db, filter);
  const { type: _type, start: _start, end: _end, ...who } = known;
  const sums = await db
    .selectFrom('logs')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('quota'), sql.lit(0)).as('quota'))
    .where(wholeFilter({ ...known, type: CONSUME }, dialect))
    .executeTakeFirstOrThrow();
  const minute = await db
    .selectFrom('logs')
    .select((eb) => [
      eb.fn.countAll<number>().as('rpm'),
      eb.fn
        .coalesce(eb.fn.sum<number>(eb('prompt_tokens', '+', eb.ref('completion_tokens'))), sql.lit(0))
        .as('tpm'),
    ])
    .where(wholeFilter({ ...who, type: CONSUME, start: now - 59 }, dialect))
    .executeTakeFirstOrThrow();
  return { quota: sums.quota, rpm: minute.rpm, tpm: minute.tpm };
}

export const find = (db: Db, id: number): Promise<LogRow | undefined> =>
  db.selectFrom('logs').selectAll().where('id', '=', id).executeTakeFirst();

/** The consumption row of a request. */
export const consumptionOf = (db: Db, requestId: string): Promise<LogRow | undefined> =>
  db
    .selectFrom('logs')
    .selectAll()
    .where('request_id', '=', requestId)
    .where('type', '=', CONSUME)
    .executeTakeFirst();

/** The newest rows of one token. */
export const ofToken = (db: Db, tokenId: number, limit: number): Promise<LogRow[]> =>
  db
    .selectFrom('logs')
    .selectAll()
    .where('token_id', '=', tokenId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/**
 * The newest rows whose type is the keyword or whose content starts with it (wire-facts 8.2); with `userId`, of this
 * user only. Looks at the newest 20,000 rows.
 */
export function search(
  db: Db,
  { keyword, userId, limit }: { keyword: string; userId?: number; limit: number },
): Promise<LogRow[]> {
  const { like } = dialectOf(db);
  let newest = db
    .selectFrom('logs')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(20_000);
  if (userId !== undefined) newest = newest.where('user_id', '=', userId);
  const type = /^\d{1,3}$/.test(keyword) ? Number(keyword) : undefined;
  return db
    .selectFrom(newest.as('logs'))
    .selectAll()
    .where((eb) =>
      eb.or([
        like(eb.ref('content'), startingWith(keyword)),
        ...(type === undefined ? [] : [eb('type', '=', type)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Deletes the rows older than `before` (Unix seconds) and answers how many. In batches, each a short transaction of
 * its own with a turn of the event loop between, so that settlements go on meanwhile.
 */
export async function deleteBefore(db: Db, before: number, batchSize = 500): Promise<number> {
  let deleted = 0;
  for (;;) {
    const oldest = await db
      .selectFrom('logs')
      .select('id')
      .where('created_at', '<', before)
      .orderBy('created_at')
      .orderBy('id')
      .limit(batchSize)
      .execute();
    if (oldest.length === 0) return deleted;
    const ids = oldest.map(({ id }) => id);
    deleted += countOf(await db.deleteFrom('logs').where('id', 'in', ids).executeTakeFirstOrThrow());
    await nextTurn();
  }
}

import { logType } from '@tollgate/contract';
import { sql } from 'kysely';
import { dialectOf, inTransaction } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { startingWith } from '../../like.ts';
import { charged, type Charged, nothingCharged } from './charged.ts';
import { keepDeleted } from './hours/deleted.ts';
import { lateHours, mark, markOfRequests } from './hours/marks.ts';
import { chargedFilter, CONSUME, resolveUser } from './log-filter.ts';
import type { LogFilter } from './log-filter.ts';
import type { LogRow } from './log-page.ts';
import { batches } from '../shared.ts';

export { list } from './log-page.ts';
export type { LogPage, LogRow } from './log-page.ts';
export type { LogFilter } from './log-filter.ts';

export type NewLog = Omit<LogRow, 'id' | 'refunded'>;

/** What a row that is not about a call leaves empty. */
export const blank = {
  token_name: '',
  model_name: '',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  is_stream: 0,
  channel_id: 0,
  token_id: 0,
  group: '',
  other: '',
  request_id: '',
  team_id: 0,
  cost: null,
} satisfies Partial<NewLog>;

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
  const late = lateHours(rows.map((row) => row.created_at));
  // The mark first: where both are no one transaction, a mark too many is only read once more.
  if (late.length > 0) await mark(db, late);
  for (const part of batches(rows)) await db.insertInto('logs').values(part.map(fit)).execute();
}

/** Corrects the consumption row of a request, where it has one. */
export async function correct(db: Db, requestId: string, columns: Partial<NewLog>): Promise<void> {
  const texts = {
    ...(columns.content !== undefined && { content: clean(columns.content) }),
    ...(columns.other !== undefined && { other: clean(columns.other) }),
  };
  await markOfRequests(db, [requestId]);
  await db
    .updateTable('logs')
    .set({ ...columns, ...texts })
    .where('request_id', '=', requestId)
    .where('type', '=', CONSUME)
    .execute();
}

/** What goes back of a charge, in quota units; below zero where more is taken. */
export interface LogRefund {
  requestId: string;
  quota: number;
}

/**
 * Takes refunds and corrections off the charges they belong to: the rows keep their quota, and sums subtract `refunded`.
 * Part of the transaction that moves the money. Where a row was deleted meanwhile its charge stays in the sums.
 */
export async function refund(db: Db, refunds: readonly LogRefund[]): Promise<void> {
  const byRequest = new Map<string, number>();
  for (const { requestId, quota } of refunds)
    byRequest.set(requestId, (byRequest.get(requestId) ?? 0) + quota);
  for (const part of batches([...byRequest])) {
    const ids = part.map(([requestId]) => requestId);
    const cases = part.map(([requestId, quota]) => sql`when ${requestId} then ${sql.lit(quota)}`);
    await markOfRequests(db, ids);
    await db
      .updateTable('logs')
      .set({ refunded: sql<number>`refunded + case request_id ${sql.join(cases, sql` `)} else 0 end` })
      .where('request_id', 'in', ids)
      .where('type', '=', CONSUME)
      .execute();
  }
}

export interface LogStat extends Charged {
  /** Matching consumption rows of the last 60 seconds. */
  rpm: number;
  /** Tokens, in and out, of those rows. */
  tpm: number;
}

/**
 * What was charged in the rows of a filter; rows of other types than consumption charge nothing. Deleted rows are in it
 * where sums by the hour keep them. rpm and tpm are those of
 * the last minute, whatever the filter's times and type. Tests of channels have no part in any of them.
 */
export async function stat(db: Db, filter: LogFilter, now: number): Promise<LogStat> {
  const dialect = dialectOf(db);
  const known = await resolveUser(db, filter);
  const { type = CONSUME, start: _start, end: _end, ...who } = known;
  const sums = type === CONSUME ? await charged(db, known) : nothingCharged;
  const minute = await db
    .selectFrom('logs')
    .select((eb) => [
      eb.fn.countAll<number>().as('rpm'),
      eb.fn
        .coalesce(eb.fn.sum<number>(eb('prompt_tokens', '+', eb.ref('completion_tokens'))), sql.lit(0))
        .as('tpm'),
    ])
    .where(chargedFilter({ ...who, type: CONSUME, start: now - 59 }, dialect))
    .executeTakeFirstOrThrow();
  return { ...sums, rpm: minute.rpm, tpm: minute.tpm };
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

/** The rows of refunds and corrections beside the charge of a request, the oldest first. */
export const refundsOf = (db: Db, requestId: string): Promise<LogRow[]> =>
  db
    .selectFrom('logs')
    .selectAll()
    .where('request_id', '=', requestId)
    .where('type', '=', logType.refund)
    .orderBy('id')
    .execute();

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
 * The newest rows whose type is the keyword or whose content starts with it
 * (docs/compatibility.md#log-lists-and-sums); with `userId`, of this
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

/** How many rows are older than a moment (Unix seconds). */
export async function countBefore(db: Db, before: number): Promise<number> {
  const { rows } = await db
    .selectFrom('logs')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('created_at', '<', before)
    .executeTakeFirstOrThrow();
  return Number(rows);
}

/** What is read of rows before they are deleted. */
const kept = [
  'id',
  'created_at',
  'type',
  'user_id',
  'username',
  'channel_id',
  'model_name',
  'group',
  'token_id',
  'token_name',
  'team_id',
  'quota',
  'refunded',
] as const;

/**
 * Deletes the oldest rows before a moment (Unix seconds), at most `limit`, in a short transaction; answers how many were
 * looked at: fewer than the limit when no more are left. What they charged stays in the sums by the hour.
 */
export async function deleteSome(db: Db, before: number, limit: number): Promise<number> {
  const oldest = await db
    .selectFrom('logs')
    .select('id')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  if (oldest.length === 0) return 0;
  await inTransaction(db, async (trx) => {
    const ids = oldest.map(({ id }) => id);
    // Locked, so that of two who delete the same rows one keeps what they charged.
    const rows = await dialectOf(trx)
      .lockRows(trx.selectFrom('logs').select(kept).where('id', 'in', ids))
      .execute();
    if (rows.length === 0) return;
    await trx
      .deleteFrom('logs')
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .execute();
    await keepDeleted(trx, rows);
  });
  return oldest.length;
}

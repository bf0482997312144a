import { logType, runTag } from '@tollgate/contract';
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { archiveOf, ArchiveUnavailable, dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { startingWith } from '../../like.ts';
import { addCharged, charged, type Charged, nothingCharged } from './charged.ts';
import { chargedFilter, CONSUME, type LogFilter, wholeFilter } from './log-filter.ts';
import type { LogRow } from './log-page.ts';
import { newerFirst } from './log-search.ts';
import { resolveCurrent, resolveUser } from './log-users.ts';
import { addUp, onSides, onStillSides, readOn, type Side, findSides } from '../log-archive/sides.ts';

export interface LogStat extends Charged {
  /** Matching consumption rows of the last 60 seconds. */
  rpm: number;
  /** Tokens, in and out, of those rows. */
  tpm: number;
}

/**
 * Charges of the rows of a filter; only consumption rows have charges. Deleted rows are included
 * if the hourly sums keep them. rpm and tpm are those of
 * the last minute, whatever the filter's times and type. Tests of channels are excluded.
 */
export async function stat(db: Db, filter: LogFilter, now: number): Promise<LogStat> {
  const known = await resolveCurrent(db, filter);
  const parts = await onStillSides(db, (side) => statOn(side.db, { ...known, ids: side.ids }, now));
  const sum = (column: 'rpm' | 'tpm') => parts.reduce((all, part) => all + part[column], 0);
  return { ...addCharged(parts), rpm: sum('rpm'), tpm: sum('tpm') };
}

async function statOn(db: Db, filter: LogFilter, now: number): Promise<LogStat> {
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

/** A row; the one in the main database if it exists, because changes go there. */
export async function find(db: Db, id: number): Promise<LogRow | undefined> {
  return first(db, (one) => one.selectFrom('logs').selectAll().where('id', '=', id).executeTakeFirst());
}

/** The consumption row of a request. */
export async function findConsumption(db: Db, requestId: string): Promise<LogRow | undefined> {
  return first(db, (one) =>
    one
      .selectFrom('logs')
      .selectAll()
      .where('request_id', '=', requestId)
      .where('type', '=', CONSUME)
      .executeTakeFirst(),
  );
}

/** The consumption rows of requests; without those that are gone. */
export async function consumptions(db: Db, requestIds: readonly string[]): Promise<LogRow[]> {
  if (requestIds.length === 0) return [];
  const found = await onSides(db, (side) =>
    rowsOn(side).where('request_id', 'in', requestIds).where('type', '=', CONSUME).execute(),
  );
  return found.flat();
}

/** Timeout in ms of a refund's read of the archive: its transaction locks rows that calls need. */
const refundWaitMs = 1_000;

/** The same for a running refund, which an unresponsive archive must not block: the result is undefined then as well. */
export async function consumptionIfKnown(db: Db, requestId: string): Promise<LogRow | undefined> {
  const read = findConsumption(db, requestId).catch((error: unknown) => {
    if (error instanceof ArchiveUnavailable) return undefined;
    throw error;
  });
  if (!archiveOf(db)) return read;
  const ended = new AbortController();
  const wait = sleep(refundWaitMs, undefined, { signal: ended.signal }).catch(() => undefined);
  try {
    return await Promise.race([read, wait]);
  } finally {
    ended.abort();
  }
}

/** The row of the main database, otherwise of the archive. */
async function first<T>(db: Db, read: (one: Db) => Promise<T | undefined>): Promise<T | undefined> {
  const found = await read(db);
  if (found !== undefined) return found;
  const [, archive] = await findSides(db);
  return archive && readOn(archive, (side) => read(side.db));
}

/** The rows of refunds and corrections beside the charge of a request, the oldest first. */
export async function findRefunds(db: Db, requestId: string): Promise<LogRow[]> {
  const found = await onSides(db, (side) =>
    rowsOn(side)
      .where('request_id', '=', requestId)
      .where('type', '=', logType.refund)
      .orderBy('id')
      .execute(),
  );
  return found.flat().toSorted((a, b) => a.id - b.id);
}

/** When the charged calls with these request ids ended (Unix seconds); without those whose rows are gone. */
export async function timesOfCalls(db: Db, requestIds: readonly string[]): Promise<Map<string, number>> {
  const found = await consumptions(db, requestIds);
  return new Map(found.map((row) => [row.request_id, row.created_at]));
}

/** The newest rows of one token. */
export async function ofToken(db: Db, tokenId: number, limit: number): Promise<LogRow[]> {
  const found = await onSides(db, (side) =>
    rowsOn(side)
      .where('token_id', '=', tokenId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );
  return newest(found, limit);
}

/** Output tokens of the newest charged calls of a token, or to a model. */
export async function recentOutputs(
  db: Db,
  which: { tokenId: number } | { modelName: string },
  limit: number,
): Promise<{ model: string; tokens: number }[]> {
  const [main] = await findSides(db);
  return db
    .selectFrom('logs')
    .select(['model_name as model', 'completion_tokens as tokens'])
    .where(wholeFilter({ ...which, type: CONSUME, ids: main.ids }, dialectOf(db)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Charges of a token for a model in a time range that starts at `from`. */
interface TokenUsage {
  /** Unix seconds. */
  from: number;
  model: string;
  /** Quota units minus refunds. */
  spent: number;
  inputTokens: number;
  outputTokens: number;
  calls: number;
}

/**
 * The charges of a token, or of its calls in a run, from `start` to before `end` (Unix seconds), by model and intervals
 * of `width` seconds.
 */
export async function usageOfToken(
  db: Db,
  tokenId: number,
  { start, end, width }: { start: number; end: number; width: number },
  run?: string,
): Promise<TokenUsage[]> {
  const tags = run === undefined ? [] : [{ name: runTag(run.split('/').length), value: run }];
  const found = await onSides(db, async ({ db: one, ids }) => {
    const from = sql<number>`created_at - (created_at % ${sql.lit(width)})`;
    const rows = await one
      .selectFrom('logs')
      .select((eb) => [
        from.as('from'),
        'model_name as model',
        eb.fn.sum<number>(eb('quota', '-', eb.ref('refunded'))).as('spent'),
        eb.fn.sum<number>('prompt_tokens').as('inputTokens'),
        eb.fn.sum<number>('completion_tokens').as('outputTokens'),
        eb.fn.countAll<number>().as('calls'),
      ])
      .where(wholeFilter({ tokenId, tags, type: CONSUME, start, end: end - 1, ids }, dialectOf(one)))
      .groupBy([from, 'model_name'])
      .execute();
    return rows.map(({ model, ...figures }) => {
      const { from: begin, spent, inputTokens, outputTokens, calls } = figures;
      const numbers = { from: Number(begin), spent: Number(spent), calls: Number(calls) };
      return { ...numbers, model, inputTokens: Number(inputTokens), outputTokens: Number(outputTokens) };
    });
  });
  return addUp(found.flat(), ({ from, model }) => `${from} ${model}`, [
    'spent',
    'inputTokens',
    'outputTokens',
    'calls',
  ]);
}

/** Charges of calls with a tag name, by its value. */
interface TagSum {
  value: string;
  /** Quota units, and the part refunded later. */
  quota: number;
  refunded: number;
  calls: number;
}

/** The charges of a filter by the value of a tag; the largest ones, at most `limit`. */
export async function sumsOfTag(db: Db, name: string, filter: LogFilter, limit: number): Promise<TagSum[]> {
  const { type: _type, ...known } = await resolveCurrent(db, filter);
  const found = await onSides(db, async ({ db: one, ids }) => {
    const filtered = { ...(await resolveUser(one, known)), type: CONSUME, ids };
    const charges = one
      .selectFrom('logs')
      .select(['id', 'quota', 'refunded'])
      .where(chargedFilter(filtered, dialectOf(one)));
    let tagged = one
      .selectFrom('log_tags')
      .innerJoin(charges.as('charges'), 'charges.id', 'log_tags.log_id')
      .select((eb) => [
        'log_tags.value',
        eb.fn.sum<number>('charges.quota').as('quota'),
        eb.fn.sum<number>('charges.refunded').as('refunded'),
        eb.fn.countAll<number>().as('calls'),
      ])
      .where('log_tags.name', '=', name);
    if (known.start !== undefined) tagged = tagged.where('log_tags.created_at', '>=', known.start);
    if (known.end !== undefined) tagged = tagged.where('log_tags.created_at', '<=', known.end);
    const rows = await tagged.groupBy('log_tags.value').execute();
    return rows.map(({ value, quota, refunded, calls }) => ({
      value,
      quota: Number(quota),
      refunded: Number(refunded),
      calls: Number(calls),
    }));
  });
  return addUp(found.flat(), ({ value }) => value, ['quota', 'refunded', 'calls'])
    .toSorted((a, b) => b.quota - b.refunded - (a.quota - a.refunded) || (a.value < b.value ? -1 : 1))
    .slice(0, limit);
}

const newest = (found: readonly LogRow[][], limit: number): LogRow[] =>
  found.length === 1 ? found[0]! : found.flat().toSorted(newerFirst).slice(0, limit);

/** All rows of a side. */
function rowsOn({ db, ids: { above, upTo } }: Side) {
  let rows = db.selectFrom('logs').selectAll();
  if (above !== undefined) rows = rows.where('id', '>', above);
  if (upTo !== undefined) rows = rows.where('id', '<=', upTo);
  return rows;
}

interface Search {
  keyword: string;
  userId?: number;
  limit: number;
}

/**
 * The newest rows with the keyword as type or as the start of the content (docs/compatibility.md#log-lists-and-sums);
 * with `userId`, of this user only. Searches the newest 20,000 rows of a database.
 */
export async function search(db: Db, what: Search): Promise<LogRow[]> {
  return newest(await onSides(db, (side) => searchOn(side, what)), what.limit);
}

function searchOn(side: Side, { keyword, userId, limit }: Search): Promise<LogRow[]> {
  const { db } = side;
  const { like } = dialectOf(db);
  let window = rowsOn(side).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(20_000);
  if (userId !== undefined) window = window.where('user_id', '=', userId);
  const type = /^\d{1,3}$/.test(keyword) ? Number(keyword) : undefined;
  return db
    .selectFrom(window.as('logs'))
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

/** Number of rows older than a moment (Unix seconds). */
export async function countBefore(db: Db, before: number): Promise<number> {
  const counts = await onSides(db, async ({ db: one, ids }) => {
    const { rows } = await one
      .selectFrom('logs')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where(wholeFilter({ ids, end: before - 1 }, dialectOf(one)))
      .executeTakeFirstOrThrow();
    return Number(rows);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

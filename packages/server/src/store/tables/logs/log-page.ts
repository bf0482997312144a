import { sql } from 'kysely';
import type { Selectable, SelectQueryBuilder } from 'kysely';
import { ArchiveUnavailable, dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { Database } from '../../schema/index.ts';
import type { LogTable } from '../../schema/log.ts';
import { resolveCurrent, resolveUser, splitsOf } from './log-filter.ts';
import type { LogFilter, SplitFilter } from './log-filter.ts';
import { readOn, type Side, sidesOf } from './sides/sides.ts';
import type { Slice } from '../shared.ts';

export type LogRow = Selectable<LogTable>;

export interface LogPage {
  /** Newest first, by (created_at, id). */
  rows: LogRow[];
  /** How many rows match, as far as was counted. */
  total: number;
  /**
   * False when there may be more than `total`: counting stopped at its bound, or only the newest part of the time
   * range was searched (STEPS). A narrower time range finds the rest.
   */
  exact: boolean;
  /** Older rows are not among these: they have moved to an archive that cannot be read now. */
  olderMissing: boolean;
}

/** Beyond the page, this many rows are counted; more would cost more than the number is worth. */
const COUNT_BOUND = 10_000;
/**
 * How many rows, newest first, are looked at one by one for conditions that no index answers, in growing steps: most
 * pages fill in the first. Without this bound a filter that matches nothing would read ten million rows.
 */
const STEPS = [2_000, 20_000, 200_000];
/** Counting looks at no fewer rows than this. */
const COUNT_WINDOW = 20_000;

type Scan = SelectQueryBuilder<Database, 'logs', object>;

/** The rows that the index answers, newest first: every index on logs ends in the time, so none is sorted. */
function newestFirst(db: Db, { indexed }: SplitFilter): Scan {
  let query: Scan = db.selectFrom('logs').orderBy('created_at', 'desc').orderBy('id', 'desc');
  for (const condition of indexed) query = query.where(condition);
  return query;
}

/**
 * One page of the log (docs/compatibility.md#log-lists-and-sums), at a cost that does not grow with the table: ids of
 * the page first (from the
 * index alone where it can), then those rows; skipped rows are never read whole. Pages are reached by offset, because
 * the wire counts pages; far pages cost a walk along the index.
 */
export async function list(db: Db, filter: LogFilter, slice: Slice): Promise<LogPage> {
  const [main, archive] = await sidesOf(db);
  if (!archive) return { ...(await ofMain(db, filter, slice)), olderMissing: false };
  try {
    const page = await merged([main, archive], await resolveCurrent(db, filter), slice);
    return { ...page, olderMissing: false };
  } catch (error) {
    if (!(error instanceof ArchiveUnavailable)) throw error;
    const newest = await ofMain(db, { ...filter, ids: main.ids }, slice);
    return { ...newest, exact: false, olderMissing: true };
  }
}

type PageOfRows = Omit<LogPage, 'olderMissing'>;

/** A page of the rows that stand in the main database. */
async function ofMain(db: Db, filter: LogFilter, slice: Slice): Promise<PageOfRows> {
  const found = await find(db, await resolveUser(db, filter), slice);
  const rows = await readRows(db, found.keys);
  return paged(rows, await totalOf(db, found, slice), slice);
}

/** A full page with more behind it must leave the way to the next one open. */
function paged(rows: LogRow[], { total, exact }: Count, { offset, limit }: Slice): PageOfRows {
  if (exact) return { rows, total, exact };
  const atLeast = offset + rows.length + (rows.length === limit ? 1 : 0);
  return { rows, total: Math.max(total, atLeast), exact };
}

/**
 * A page of both sides. Of the main database, which has the newest rows, all up to the page's end are looked at; of the
 * archive as many fewer are skipped. No row is on both sides of the cut.
 */
async function merged([main, archive]: [Side, Side], filter: LogFilter, slice: Slice): Promise<PageOfRows> {
  const { offset, limit } = slice;
  const nearSlice = { offset: 0, limit: offset + limit };
  const near = await find(main.db, await resolveUser(main.db, { ...filter, ids: main.ids }), nearSlice);
  const skipped = Math.max(0, offset - near.keys.length);
  const farSlice = { offset: skipped, limit: offset + limit - skipped };
  return readOn(archive, async ({ db, ids }) => {
    const far = await find(db, await resolveUser(db, { ...filter, ids }), farSlice);
    const all = [
      ...near.keys.map((key) => ({ ...key, isFar: false })),
      ...far.keys.map((key) => ({ ...key, isFar: true })),
    ];
    const page = all.toSorted(newerFirst).slice(offset - skipped, offset - skipped + limit);
    const rows = [
      ...(await readRows(
        main.db,
        page.filter(({ isFar }) => !isFar),
      )),
      ...(await readRows(
        db,
        page.filter(({ isFar }) => isFar),
      )),
    ].toSorted(newerFirst);
    const nearCount = await totalOf(main.db, near, nearSlice);
    const farCount = await totalOf(db, far, farSlice);
    const count = { total: nearCount.total + farCount.total, exact: nearCount.exact && farCount.exact };
    return paged(rows, count, slice);
  });
}

/** The order of lists. */
export const newerFirst = (a: Key, b: Key): number => b.created_at - a.created_at || b.id - a.id;

type Key = Pick<LogRow, 'id' | 'created_at'>;

interface Found {
  split: SplitFilter;
  keys: Key[];
  /** How many rows were looked at; nothing is looked at when the index answers all. */
  searched: number;
  /** Whether every row that the index answers was looked at, or did not have to be. */
  searchedAll: boolean;
}

/** The rows of a slice, in order. */
async function find(db: Db, filter: LogFilter, slice: Slice): Promise<Found> {
  const splits = splitsOf(filter, dialectOf(db));
  return splits[0].rest.length === 0 ? direct(db, splits[0], slice) : searching(db, splits, slice);
}

async function direct(db: Db, split: SplitFilter, { offset, limit }: Slice): Promise<Found> {
  const keys = await newestFirst(db, split)
    .select(['id', 'created_at'])
    .limit(limit)
    .offset(offset)
    .execute();
  return { split, keys, searched: 0, searchedAll: true };
}

/**
 * Looks at more and more rows of each index in turn: of a user and a model, whose rows are all of another model and of other
 * users, nobody knows before along which of the two the page is near.
 */
async function searching(
  db: Db,
  splits: readonly [SplitFilter, ...SplitFilter[]],
  { offset, limit }: Slice,
): Promise<Found> {
  let found: Found = { split: splits[0], keys: [], searched: 0, searchedAll: false };
  for (const step of STEPS) {
    for (const split of splits) {
      const matching = matches(db, split, step).select(['id', 'created_at']).limit(limit).offset(offset);
      const keys = await matching.execute();
      if (keys.length === limit) return { split, keys, searched: step, searchedAll: false };
      if (!(await reaches(db, split, step))) return { split, keys, searched: step, searchedAll: true };
      if (keys.length >= found.keys.length) found = { split, keys, searched: step, searchedAll: false };
    }
  }
  return found;
}

interface Count {
  total: number;
  exact: boolean;
}

/** How many rows match, by what was found of a slice. */
async function totalOf(db: Db, { split, keys, searched, searchedAll }: Found, slice: Slice): Promise<Count> {
  const isLast = keys.length < slice.limit && (keys.length > 0 || slice.offset === 0);
  if (isLast && searchedAll) return { total: slice.offset + keys.length, exact: true };
  return count(db, split, slice, searched);
}

/** What conditions look at. Not the long texts, which some databases would copy for each row looked at. */
const searchable = [
  'id',
  'created_at',
  'type',
  'user_id',
  'username',
  'token_id',
  'team_id',
  'token_name',
  'channel_id',
  'model_name',
  'group',
  'request_id',
] as const;

/** Of the newest `bound` rows that the index answers, those that meet the other conditions too. */
function matches(db: Db, split: SplitFilter, bound: number) {
  const window = newestFirst(db, split).select(searchable).limit(bound).as('logs');
  let query = db.selectFrom(window).orderBy('created_at', 'desc').orderBy('id', 'desc');
  for (const condition of split.rest) query = query.where(condition);
  return query;
}

/** Counts what matches, up to COUNT_BOUND rows beyond the page and among the rows that filling the page looked at. */
async function count(db: Db, split: SplitFilter, { offset, limit }: Slice, searched: number): Promise<Count> {
  const bound = offset + limit + COUNT_BOUND;
  const window = Math.max(searched, COUNT_WINDOW);
  const hasRest = split.rest.length > 0;
  const rows = hasRest ? rowsOf(matches(db, split, window), bound) : rowsOf(newestFirst(db, split), bound);
  const { total } = await db
    .selectFrom(rows)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (total === bound) return { total, exact: false };
  return { total, exact: !hasRest || !(await reaches(db, split, window)) };
}

/** As many rows as there are, up to a bound, with nothing in them. */
const rowsOf = <DB, TB extends keyof DB>(scan: SelectQueryBuilder<DB, TB, object>, bound: number) =>
  scan
    .clearOrderBy()
    .select(sql`1`.as('one'))
    .limit(bound)
    .as('counted');

/** Whether the index answers more than `bound` rows. */
async function reaches(db: Db, split: SplitFilter, bound: number): Promise<boolean> {
  const beyond = await newestFirst(db, split).select('id').limit(1).offset(bound).executeTakeFirst();
  return beyond !== undefined;
}

async function readRows(db: Db, keys: readonly Key[]): Promise<LogRow[]> {
  if (keys.length === 0) return [];
  return db
    .selectFrom('logs')
    .selectAll()
    .where(
      'id',
      'in',
      keys.map(({ id }) => id),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

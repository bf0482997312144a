import { sql, type Selectable } from 'kysely';
import { ArchiveUnavailable, dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { LogTable } from '../../schema/upkeep.ts';
import { splitsOf, type LogFilter, type SplitFilter } from './log-filter.ts';
import { type Found, isOlder, type Key, newerFirst, newestFirst, search } from './log-search.ts';
import { resolveCurrent, resolveUser } from './log-users.ts';
import { readOn, type Side, findSides } from '../log-archive/sides.ts';
import type { Slice } from '../shared.ts';

export type LogRow = Selectable<LogTable>;

export interface LogPage {
  /** Newest first, by (created_at, id). */
  rows: LogRow[];
  /** Number of matching rows, up to the limit of counting. */
  total: number;
  /**
   * False if there may be more than `total`: counting stopped at its limit, or only the newest part of the time range
   * was searched. A narrower time range finds the rest.
   */
  exact: boolean;
  /** Older rows are missing: they have moved to an archive that cannot be read now. */
  olderMissing: boolean;
}

/** This number of rows after the page is counted; more would cost more than the number is worth. */
const COUNT_BOUND = 10_000;

/**
 * One page of the log (docs/compatibility.md#log-lists-and-sums), at a cost that does not grow with the table: first
 * the ids of the page (from the index only if possible), then those rows; skipped rows are never read whole. Pages are
 * reached by offset, because the API counts pages; far pages cost a walk along the index.
 */
export async function list(db: Db, filter: LogFilter, slice: Slice): Promise<LogPage> {
  const [main, archive] = await findSides(db);
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

/** A page of the rows in the main database. */
async function ofMain(db: Db, filter: LogFilter, slice: Slice): Promise<PageOfRows> {
  const found = await find(db, await resolveUser(db, filter), slice);
  return paged(await readRows(db, found.keys), found, slice);
}

/** A full page with more rows after it must allow the next page. */
function paged(rows: LogRow[], { total, exact }: Omit<Found, 'keys'>, { offset, limit }: Slice): PageOfRows {
  if (exact) return { rows, total, exact };
  const atLeast = offset + rows.length + (rows.length === limit ? 1 : 0);
  return { rows, total: Math.max(total, atLeast), exact };
}

/**
 * A page of both sides. The main database has the newest rows, and is read up to the end of the page. The number of its
 * rows is subtracted from the rows that are skipped in the archive. No row is on both sides of the cut.
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
    const count = { total: near.total + far.total, exact: near.exact && far.exact };
    return paged(rows, count, slice);
  });
}

/** The rows of a slice, in order, and their number. */
async function find(db: Db, filter: LogFilter, slice: Slice): Promise<Found> {
  const splits = splitsOf(filter, dialectOf(db));
  return splits[0].rest.length === 0 ? direct(db, splits[0], slice) : search(db, splits, slice);
}

/** If the index answers all conditions. */
async function direct(db: Db, split: SplitFilter, { offset, limit }: Slice): Promise<Found> {
  const keys = await newestFirst(db, split)
    .select(['id', 'created_at'])
    .limit(limit)
    .offset(offset)
    .execute();
  const last = keys.at(-1);
  if (keys.length < limit && (last || offset === 0))
    return { keys, total: offset + keys.length, exact: true };
  // Later rows are counted from the end of the page, to avoid a second walk to a far page.
  const rest = newestFirst(db, split).clearOrderBy();
  const counted = (last ? rest.where((eb) => isOlder(eb, last)) : rest)
    .select(sql`1`.as('one'))
    .limit(last ? COUNT_BOUND : offset)
    .as('counted');
  const { count } = await db
    .selectFrom(counted)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const before = last ? offset + keys.length : 0;
  return { keys, total: before + Number(count), exact: !last || count < COUNT_BOUND };
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

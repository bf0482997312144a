import type { ExpressionBuilder, SelectQueryBuilder, Selectable } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import type { Database } from '../../schema/index.ts';
import type { LogTable } from '../../schema/upkeep.ts';
import type { Slice } from '../shared.ts';
import type { SplitFilter, Tag } from './log-filter.ts';

/** A row's place in every list, newest first by (created_at, id). */
export type Key = Pick<Selectable<LogTable>, 'id' | 'created_at'>;

/** The rows of a slice, in order. */
export interface Found {
  keys: Key[];
  /** Number of matching rows, up to the limit of counting. */
  total: number;
  /** False if there may be more than `total`. */
  exact: boolean;
}

/** Maximum of rows examined one by one, newest first, for conditions that no index answers. */
interface SearchBounds {
  /** The first window; each later one is twice as long. Most pages fill in the first one. */
  first: number;
  /** Without this limit a filter without matches would read ten million rows. */
  all: number;
  /** Limit of rows that are read only for counting. */
  counted: number;
}

const usual: SearchBounds = { first: 1_000, all: 200_000, counted: 5_000 };

type Scan = SelectQueryBuilder<Database, 'logs', object>;
type Logs = ExpressionBuilder<Database, 'logs'>;

/** The rows with a tag: time and id are those of its index, which has them in order. */
const withTag = (db: Db, { name, value }: Tag) =>
  db
    .selectFrom('log_tags')
    .innerJoin('logs', 'logs.id', 'log_tags.log_id')
    .select([
      'log_tags.log_id as id',
      'log_tags.created_at as created_at',
      'logs.type',
      'logs.user_id',
      'logs.username',
      'logs.token_id',
      'logs.team_id',
      'logs.token_name',
      'logs.channel_id',
      'logs.model_name',
      'logs.group',
      'logs.request_id',
    ])
    .where('log_tags.name', '=', name)
    .where('log_tags.value', '=', value);

/** The rows that the index answers, newest first: every index on logs ends in the time, so none is sorted. */
export function newestFirst(db: Db, { indexed, tag }: SplitFilter): Scan {
  const from: Scan = tag ? db.selectFrom(withTag(db, tag).as('logs')) : db.selectFrom('logs');
  let query = from.orderBy('created_at', 'desc').orderBy('id', 'desc');
  for (const condition of indexed) query = query.where(condition);
  return query;
}

/** Rows of an index from one key down to another, which is not included; absent ends are open. */
interface Window {
  split: SplitFilter;
  from: Key | undefined;
  end: Key | undefined;
  size: number;
}

const isFrom = (eb: Logs, { created_at, id }: Key) =>
  eb.and([
    eb('created_at', '<=', created_at),
    eb.or([eb('created_at', '<', created_at), eb('id', '<=', id)]),
  ]);

/** Behind a key, in the order of lists. */
export const isOlder = (eb: Logs, { created_at, id }: Key) =>
  eb.and([eb('created_at', '<=', created_at), eb.or([eb('created_at', '<', created_at), eb('id', '<', id)])]);

const isBefore = (eb: Logs, { created_at, id }: Key) =>
  eb.and([eb('created_at', '>=', created_at), eb.or([eb('created_at', '>', created_at), eb('id', '>', id)])]);

/**
 * Reads rows window by window. Each window uses the index that reaches farthest back with as many rows. Of a user and
 * a model, the user's rows of an hour may be more than the model's of a month.
 */
export async function search(
  db: Db,
  splits: readonly [SplitFilter, ...SplitFilter[]],
  { offset, limit }: Slice,
  bounds = usual,
): Promise<Found> {
  const keys: Key[] = [];
  let total = 0;
  let searched = 0;
  let from: Key | undefined;
  for (let size = bounds.first; ; size *= 2) {
    const window = await farthest(db, splits, from, size);
    const matching = await countRows(db, window);
    const skipped = Math.max(0, offset - total);
    if (keys.length < limit && matching > skipped)
      keys.push(...(await findKeys(db, window, { offset: skipped, limit: limit - keys.length })));
    total += matching;
    searched += size;
    from = window.end;
    if (!from) return { keys, total, exact: true };
    const isEnough = searched >= (keys.length === limit ? bounds.counted : bounds.all);
    if (isEnough) return { keys, total, exact: false };
  }
}

/** The window that ends at the oldest row. */
async function farthest(
  db: Db,
  splits: readonly [SplitFilter, ...SplitFilter[]],
  from: Key | undefined,
  size: number,
): Promise<Window> {
  let window: Window | undefined;
  for (const split of splits) {
    let scan = newestFirst(db, split).select(['id', 'created_at']);
    if (from) scan = scan.where((eb) => isFrom(eb, from));
    const end = await scan.offset(size).limit(1).executeTakeFirst();
    if (!end) return { split, from, end, size };
    if (!window?.end || newerFirst(window.end, end) < 0) window = { split, from, end, size };
  }
  return window!;
}

/** Columns used by conditions, without long texts, which some databases would copy for each examined row. */
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

/** The rows of a window that meet the other conditions too. The bound makes the planner use the index; rows may be added meanwhile. */
function matches(db: Db, { split, from, end, size }: Window) {
  let scan = newestFirst(db, split).select(searchable);
  if (from) scan = scan.where((eb) => isFrom(eb, from));
  if (end) scan = scan.where((eb) => isBefore(eb, end));
  let query = db.selectFrom(scan.limit(2 * size).as('logs'));
  for (const condition of split.rest) query = query.where(condition);
  return query;
}

async function countRows(db: Db, window: Window): Promise<number> {
  const { count } = await matches(db, window)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const findKeys = (db: Db, window: Window, { offset, limit }: Slice): Promise<Key[]> =>
  matches(db, window)
    .select(['id', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();

/** The order of lists. */
export const newerFirst = (a: Key, b: Key): number => b.created_at - a.created_at || b.id - a.id;

import { sql } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { chargedFilter, CONSUME, wholeFilter } from './log-filter.ts';
import type { LogFilter } from './log-filter.ts';
import type { LogRow } from './log-page.ts';
import { newerFirst } from './log-search.ts';
import { resolveCurrent, resolveUser } from './log-users.ts';
import { addUp, onSides } from '../log-archive/sides.ts';

/** Owner, tags and time range of the rows. */
export type SumFilter = Pick<LogFilter, 'userId' | 'username' | 'tags' | 'start' | 'end'>;

/** Results of each side, with the filter resolved for that side. */
async function each<T>(
  db: Db,
  filter: SumFilter,
  read: (one: Db, known: LogFilter) => Promise<T>,
): Promise<T[]> {
  const current = await resolveCurrent(db, filter);
  return onSides(db, async ({ db: one, ids }) => read(one, await resolveUser(one, { ...current, ids })));
}

/** Consumption by one token under one name. */
export interface TokenSum {
  /** 0 for the playground. */
  token_id: number;
  token_name: string;
  user_id: number;
  username: string;
  /** The team of the key; 0 for keys of people. */
  team_id: number;
  count: number;
  /** Input and output tokens. */
  token_used: number;
  /** Quota units minus refunds. */
  quota: number;
}

/**
 * The moment (Unix seconds) since which about `bound` rows match; the filter's own start if there are no more. Sums
 * begin there, so that their cost does not grow with the log.
 */
export async function sinceFor(db: Db, filter: SumFilter, bound: number): Promise<number> {
  const moments = await each(db, filter, async (one, known) => {
    const beyond = await one
      .selectFrom('logs')
      .select('created_at')
      .where(wholeFilter(known, dialectOf(one)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .offset(bound)
      .executeTakeFirst();
    // The whole second of the first row beyond the limit is omitted, because a part of a second would give a wrong
    // sum.
    return beyond ? beyond.created_at + 1 : (filter.start ?? 0);
  });
  return Math.max(...moments);
}

/** Number of matching rows of a type; tests of channels are not counted. */
export async function countOfType(db: Db, filter: SumFilter, type: number): Promise<number> {
  const counts = await each(db, filter, async (one, known) => {
    const { count } = await one
      .selectFrom('logs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(chargedFilter({ ...known, type }, dialectOf(one)))
      .executeTakeFirstOrThrow();
    return count;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The tokens with the highest spending: charges minus refunds (`Charged`). */
export async function topTokens(db: Db, filter: SumFilter, limit: number): Promise<TokenSum[]> {
  const found = await each(db, filter, (one, known) => tokenSums(one, known, limit));
  if (found.length === 1) return found[0]!;
  const keyOf = (sum: TokenSum) => JSON.stringify([sum.user_id, sum.token_id, sum.token_name, sum.team_id]);
  return addUp(found.flat(), keyOf, ['count', 'token_used', 'quota']).toSorted(mostFirst).slice(0, limit);
}

function mostFirst(a: TokenSum, b: TokenSum): number {
  if (a.quota !== b.quota) return b.quota - a.quota;
  if (a.token_id !== b.token_id) return a.token_id - b.token_id;
  return a.token_name < b.token_name ? -1 : 1;
}

async function tokenSums(db: Db, known: LogFilter, limit: number): Promise<TokenSum[]> {
  let query = db
    .selectFrom('logs')
    .select(['token_id', 'token_name', 'user_id', 'team_id'])
    .select((eb) => [
      // A user may have been renamed within the time; any of the names is suitable.
      eb.fn.max('username').as('username'),
      eb.fn.countAll<number>().as('count'),
      eb.fn.sum<number>(eb('prompt_tokens', '+', eb.ref('completion_tokens'))).as('token_used'),
      eb.fn.sum<number>(eb('quota', '-', eb.ref('refunded'))).as('quota'),
    ])
    .where(chargedFilter({ ...known, type: CONSUME }, dialectOf(db)))
    .groupBy(['user_id', 'token_id', 'token_name', 'team_id'])
    .orderBy(sql.ref('quota'), 'desc')
    .orderBy('token_id')
    .orderBy('token_name');
  // A token may be among the first of both databases together without being among the first of either.
  if (known.ids?.above === undefined && known.ids?.upTo === undefined) query = query.limit(limit);
  return query.execute();
}

/** Consumption of a model in an hour. */
export interface ModelHourSum {
  model_name: string;
  /** Start of the hour in Unix seconds. */
  created_at: number;
  count: number;
  /** Input and output tokens. */
  token_used: number;
  /** Quota units minus refunds, and the part that teams paid. */
  quota: number;
  team_quota: number;
}

/** Consumption by model and hour, from the rows. */
export async function byModelAndHour(db: Db, filter: SumFilter): Promise<ModelHourSum[]> {
  const found = await each(db, filter, async (one, known) => {
    const hour = dialectOf(one).timeBucket(sql.ref<number>('created_at'), 'hour');
    const rows = await one
      .selectFrom('logs')
      .select((eb) => [
        'model_name',
        hour.as('hour'),
        eb.fn.countAll<number>().as('count'),
        eb.fn.sum<number>(eb('prompt_tokens', '+', eb.ref('completion_tokens'))).as('token_used'),
        eb.fn.sum<number>(eb('quota', '-', eb.ref('refunded'))).as('quota'),
        sql<number>`sum(case when team_id <> 0 then quota - refunded else 0 end)`.as('team_quota'),
      ])
      .where(chargedFilter({ ...known, type: CONSUME }, dialectOf(one)))
      .groupBy(['model_name', hour])
      .execute();
    return rows.map(({ hour: start, model_name, ...sums }) => ({
      model_name,
      created_at: Number(start),
      count: Number(sums.count),
      token_used: Number(sums.token_used),
      quota: Number(sums.quota),
      team_quota: Number(sums.team_quota),
    }));
  });
  const keyOf = (sum: ModelHourSum) => JSON.stringify([sum.created_at, sum.model_name]);
  return addUp(found.flat(), keyOf, ['count', 'token_used', 'quota', 'team_quota']).toSorted(
    (a, b) => a.created_at - b.created_at || (a.model_name < b.model_name ? -1 : 1),
  );
}

/** `tags` of the newest calls that have some, at most `limit`, from the newest `window` rows of a database. */
export async function newestTags(
  db: Db,
  filter: SumFilter,
  { window, limit }: { window: number; limit: number },
): Promise<string[]> {
  const found = await each(db, filter, (one, known) =>
    one
      .selectFrom(
        one
          .selectFrom('logs')
          .select(['id', 'created_at', 'tags'])
          .where(wholeFilter({ ...known, type: CONSUME }, dialectOf(one)))
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(window)
          .as('recent'),
      )
      .select(['id', 'created_at', 'tags'])
      .where('tags', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(limit)
      .execute(),
  );
  const newest = found.flat().toSorted(newerFirst).slice(0, limit);
  return newest.flatMap(({ tags }) => tags ?? []);
}

/** `other` of the newest streamed calls, at most `limit`, from the newest `window` rows of a database. */
export async function newestStreams(
  db: Db,
  filter: SumFilter,
  { window, limit }: { window: number; limit: number },
): Promise<string[]> {
  const found = await each(db, filter, async (one, known) => {
    const recent = one
      .selectFrom('logs')
      .select(['id', 'created_at', 'is_stream'])
      .where(wholeFilter({ ...known, type: CONSUME }, dialectOf(one)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(window)
      .as('recent');
    const streams = await one
      .selectFrom(recent)
      .select('id')
      .where('is_stream', '=', 1)
      .orderBy('created_at', 'desc')
      .limit(limit)
      .execute();
    if (streams.length === 0) return [];
    const ids = streams.map(({ id }) => id);
    return one.selectFrom('logs').select(['id', 'created_at', 'other']).where('id', 'in', ids).execute();
  });
  const newest = found.flat().toSorted(newerFirst).slice(0, limit);
  return newest.map(({ other }) => other);
}

/** A call, answered or failed, with the data of its row. */
export type CallRow = Pick<LogRow, 'id' | 'created_at' | 'type' | 'other'>;

/** The newest calls since a moment (Unix seconds), at most `limit`; rows of other types among them count toward the limit. */
export async function newestCalls(db: Db, start: number, limit: number): Promise<CallRow[]> {
  const found = await each(db, { start }, (one, known) =>
    one
      .selectFrom('logs')
      .select(['id', 'created_at', 'type', 'other'])
      .where(wholeFilter(known, dialectOf(one)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );
  return found.flat().toSorted(newerFirst).slice(0, limit);
}

/** Model and `other` of the newest rows of a type, at most `limit`. */
export async function newestOthers(
  db: Db,
  filter: SumFilter,
  type: number,
  limit: number,
): Promise<Pick<LogRow, 'model_name' | 'other'>[]> {
  const found = await each(db, filter, (one, known) =>
    one
      .selectFrom('logs')
      .select(['id', 'created_at', 'model_name', 'other'])
      .where(wholeFilter({ ...known, type }, dialectOf(one)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );
  const newest = found.flat().toSorted(newerFirst).slice(0, limit);
  return newest.map(({ model_name, other }) => ({ model_name, other }));
}

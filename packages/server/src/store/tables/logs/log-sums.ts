import { sql } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { chargedFilter, CONSUME, resolveUser, wholeFilter } from './log-filter.ts';
import type { LogFilter } from './log-filter.ts';

/** Whose rows of which time. */
export type SumFilter = Pick<LogFilter, 'userId' | 'username' | 'start' | 'end'>;

/** Consumption through one token under one name. */
export interface TokenSum {
  /** 0 for the playground. */
  token_id: number;
  token_name: string;
  user_id: number;
  username: string;
  /** The team whose key it is; 0 for people's own. */
  team_id: number;
  count: number;
  /** Input and output tokens. */
  token_used: number;
  /** Quota units, less what was given back. */
  quota: number;
}

/**
 * The moment (Unix seconds) since which at most `bound` rows match: the filter's own start when no more do. Sums begin
 * there, so that their cost does not grow with the log.
 */
export async function sinceFor(db: Db, filter: SumFilter, bound: number): Promise<number> {
  const beyond = await db
    .selectFrom('logs')
    .select('created_at')
    .where(wholeFilter(await resolveUser(db, filter), dialectOf(db)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(bound)
    .executeTakeFirst();
  // The whole second of the first row beyond the bound is left out: half a second would be no honest sum.
  return beyond ? beyond.created_at + 1 : (filter.start ?? 0);
}

/** How many rows of a type match; tests of channels are not counted. */
export async function countOfType(db: Db, filter: SumFilter, type: number): Promise<number> {
  const known = await resolveUser(db, filter);
  const { count } = await db
    .selectFrom('logs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(chargedFilter({ ...known, type }, dialectOf(db)))
    .executeTakeFirstOrThrow();
  return count;
}

/** The tokens that spent most: charges less what was given back of them (`Charged`). */
export async function topTokens(db: Db, filter: SumFilter, limit: number): Promise<TokenSum[]> {
  const known = await resolveUser(db, filter);
  return db
    .selectFrom('logs')
    .select(['token_id', 'token_name', 'user_id', 'team_id'])
    .select((eb) => [
      // A user may have been renamed within the time; any of the names will do.
      eb.fn.max('username').as('username'),
      eb.fn.countAll<number>().as('count'),
      eb.fn.sum<number>(eb('prompt_tokens', '+', eb.ref('completion_tokens'))).as('token_used'),
      eb.fn.sum<number>(eb('quota', '-', eb.ref('refunded'))).as('quota'),
    ])
    .where(chargedFilter({ ...known, type: CONSUME }, dialectOf(db)))
    .groupBy(['user_id', 'token_id', 'token_name', 'team_id'])
    .orderBy(sql.ref('quota'), 'desc')
    .orderBy('token_id')
    .orderBy('token_name')
    .limit(limit)
    .execute();
}

/** `other` of the newest streamed calls, at most `limit`, looked for among the newest `window` rows. */
export async function newestStreams(
  db: Db,
  filter: SumFilter,
  { window, limit }: { window: number; limit: number },
): Promise<string[]> {
  const known = await resolveUser(db, filter);
  const recent = db
    .selectFrom('logs')
    .select(['id', 'created_at', 'is_stream'])
    .where(wholeFilter({ ...known, type: CONSUME }, dialectOf(db)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(window)
    .as('recent');
  const streams = await db
    .selectFrom(recent)
    .select('id')
    .where('is_stream', '=', 1)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  if (streams.length === 0) return [];
  const ids = streams.map(({ id }) => id);
  const rows = await db.selectFrom('logs').select('other').where('id', 'in', ids).execute();
  return rows.map(({ other }) => other);
}

/** `other` of the newest rows of a type, at most `limit`. */
export async function newestOthers(
  db: Db,
  filter: SumFilter,
  type: number,
  limit: number,
): Promise<string[]> {
  const known = await resolveUser(db, filter);
  const rows = await db
    .selectFrom('logs')
    .select('other')
    .where(wholeFilter({ ...known, type }, dialectOf(db)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ other }) => other);
}

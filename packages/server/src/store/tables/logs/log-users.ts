import { sql } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import { hourSeconds, markedBefore, summedUntil } from './hours/marks.ts';
import { usersNamed } from './hours/sums.ts';
import type { LogFilter } from './log-filter.ts';

/**
 * The filter with the user's id in place of the name, so that an index applies; rows under the user's former names are
 * included. A name without a present user is looked up in the hourly sums: its former user, or the time from which
 * unsummed rows may have it.
 */
export async function resolveUser(db: Db, filter: LogFilter): Promise<LogFilter> {
  const current = await resolveCurrent(db, filter);
  const { username } = current;
  if (username === undefined || filter.userId !== undefined) return current;
  const { username: _name, ...rest } = current;
  const until = await summedUntil(db);
  // Read before the sums: an hour without a mark is in them by then.
  const marks = await markedBefore(db, until);
  const former = await usersNamed(db, username);
  const [userId, another] = former;
  if (userId === undefined) {
    const unknown = await firstNaming(db, { username }, marks);
    const start = Math.max(filter.start ?? 0, unknown ?? until);
    const isNobody =
      unknown === undefined && (await areFew(db, start)) && !(await hasNamed(db, { username }, start));
    return { ...filter, start: isNobody ? never : start };
  }
  if (another !== undefined) return filter;
  const others = { username, except: userId };
  const isOne = (await firstNaming(db, others, marks)) === undefined && !(await hasNamed(db, others, until));
  return isOne ? { ...rest, username, userId } : filter;
}

/** A time later than every row. */
const never = Number.MAX_SAFE_INTEGER;

/** Rows under a name, of all users or of all but one. */
interface Named {
  username: string;
  except?: number;
}

const isNamed = ({ username, except }: Named) =>
  sql<boolean>`username = ${username} ${except === undefined ? sql`` : sql`and user_id <> ${except}`}`;

/** Maximum of rows, and of marked hours, that are searched for a name. */
const lookedAt = { rows: 20_000, hours: 50 };

/**
 * The first of some hours that may have rows under a name, or undefined. Deletion marks its hours, and most of their
 * rows are gone, so reading the rest of them is cheaper than reading all later rows.
 */
async function firstNaming(db: Db, named: Named, hours: readonly number[]): Promise<number | undefined> {
  if (hours.length > lookedAt.hours) return hours[0];
  let looked = 0;
  for (const hour of hours) {
    const left = db
      .selectFrom('logs')
      .select(['username', 'user_id'])
      .where('created_at', '>=', hour)
      .where('created_at', '<', hour + hourSeconds)
      .limit(lookedAt.rows - looked);
    const { rows, found } = await db
      .selectFrom(left.as('logs'))
      .select((eb) => [
        eb.fn.countAll<number>().as('rows'),
        sql<number>`coalesce(sum(case when ${isNamed(named)} then 1 else 0 end), 0)`.as('found'),
      ])
      .executeTakeFirstOrThrow();
    looked += Number(rows);
    if (Number(found) > 0 || looked >= lookedAt.rows) return hour;
  }
  return undefined;
}

/** The filter with the id of the present user of the name. An archive has no users, so names are resolved before. */
export async function resolveCurrent(db: Db, filter: LogFilter): Promise<LogFilter> {
  const { username, ...rest } = filter;
  if (username === undefined || filter.userId !== undefined) return filter;
  const user = await db.selectFrom('users').select('id').where('username', '=', username).executeTakeFirst();
  return user ? { ...rest, userId: user.id } : filter;
}

/** Maximum of unsummed rows while the job works normally. */
const waiting = 200_000;

/** True if all rows since a moment are few enough to examine. Counted along the index, which is fast. */
async function areFew(db: Db, since: number): Promise<boolean> {
  const beyond = await db
    .selectFrom('logs')
    .select('created_at')
    .where('created_at', '>=', since)
    .orderBy('created_at')
    .limit(1)
    .offset(waiting)
    .executeTakeFirst();
  return beyond === undefined;
}

/** True if there are such rows since a moment. */
async function hasNamed(db: Db, named: Named, since: number): Promise<boolean> {
  const row = await db
    .selectFrom('logs')
    .select('id')
    .where('created_at', '>=', since)
    .where(isNamed(named))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

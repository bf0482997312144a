import { testTokenName } from '@tollgate/contract';
import { type RawBuilder, sql } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { CONSUME, type LogFilter, wholeFilter } from './log-filter.ts';
import { hourSeconds, markedBefore, summedUntil } from './hours/marks.ts';
import { type SumKind, sumKinds } from './hours/sums.ts';

/**
 * Charges in quota units. The spent amount is `quota` minus `refunded` in every sum of the log: a refund counts in the
 * hour of its charge, whenever it came.
 */
export interface Charged {
  /** Original charges. */
  quota: number;
  /** The part that teams paid. */
  team_quota: number;
  /** The part that was refunded later, by refunds and corrections; negative if corrections charged more. */
  refunded: number;
  /** The part of it that was refunded to teams. */
  team_refunded: number;
}

/** Sums of several databases together. */
export const addCharged = (parts: readonly Charged[]): Charged =>
  parts.reduce(
    (sum, part) => ({
      quota: sum.quota + part.quota,
      team_quota: sum.team_quota + part.team_quota,
      refunded: sum.refunded + part.refunded,
      team_refunded: sum.team_refunded + part.team_refunded,
    }),
    nothingCharged,
  );

export const nothingCharged: Charged = { quota: 0, team_quota: 0, refunded: 0, team_refunded: 0 };

/** Maximum of marked hours that are excluded one by one. With more, rows are read for all time after the first. */
const marksLeftOut = 50;

/**
 * Charges of consumption rows under a filter. If the filter has at most one dimension of the hourly sums (user and
 * model count as one), whole hours come from those sums, including deleted rows, and rows are read only for the rest;
 * otherwise the existing rows are summed.
 */
export async function charged(db: Db, filter: LogFilter): Promise<Charged> {
  const key = keyOf(filter);
  if (!key) return total(db, rows(db, filter));
  const until = await summedUntil(db);
  const marks = await markedBefore(db, until);
  const { parts, ranges } = cut(filter, until, marks);
  const found = parts.flatMap((part) => sums(key, filter, part));
  return total(db, [...found, ...ranges.flatMap((range) => rows(db, { ...filter, ...range }))]);
}

/** The hourly sums of a filter. */
interface SumKey {
  kind: SumKind;
  ref?: number;
  name?: string;
}

/** The only dimension of a filter, besides time and payer; undefined if it has more, or one without sums. */
function keyOf(filter: LogFilter): SumKey | undefined {
  const { start: _start, end: _end, ids: _ids, type: _type, paidBy: _paidBy, ...rest } = filter;
  const { requestId, tokenId, tags, ...named } = rest;
  if (requestId !== undefined || tokenId !== undefined || tags !== undefined) return undefined;
  const { userId: ref, username: name } = named;
  const keys: SumKey[] = [];
  if (ref !== undefined || name !== undefined)
    keys.push({ kind: 'user', ...(ref !== undefined && { ref }), ...(name !== undefined && { name }) });
  if (named.channelId !== undefined) keys.push({ kind: 'channel', ref: named.channelId });
  if (named.teamId !== undefined) keys.push({ kind: 'team', ref: named.teamId });
  if (named.group !== undefined) keys.push({ kind: 'group', name: named.group });
  if (named.tokenName !== undefined) keys.push({ kind: 'keyName', name: named.tokenName });
  if (named.modelName?.includes('%')) return undefined;
  if (named.modelName !== undefined) keys.push({ kind: 'model', name: named.modelName });
  return keys.length > 1 ? pairOf(keys) : (keys[0] ?? { kind: 'all' });
}

/** User and model have combined sums; other combinations of dimensions have none. */
function pairOf([user, model, another]: readonly SumKey[]): SumKey | undefined {
  if (user?.kind !== 'user' || model?.kind !== 'model' || another) return undefined;
  // Combined sums have no column for a former user name.
  if (user.ref === undefined || user.name !== undefined || model.name === undefined) return undefined;
  return { kind: 'userModel', ref: user.ref, name: model.name };
}

/** Sums of hours that begin at or after `from` and before `to`. */
interface Part {
  gone: 0 | 1;
  from: number;
  to: number;
  without: readonly number[];
}

/** Rows of a time, both ends included. */
type Range = Pick<LogFilter, 'start' | 'end'>;

/** Splits a time range into summed hours and ranges with rows to read. */
export function cut({ start, end }: LogFilter, until: number, marks: readonly number[]) {
  const from = start === undefined ? Number.MIN_SAFE_INTEGER : Math.ceil(start / hourSeconds) * hourSeconds;
  const wholeUntil = end === undefined ? Infinity : Math.floor((end + 1) / hourSeconds) * hourSeconds;
  // The last hour may be summed in part; a range that continues after it needs all of that part.
  const partUntil = end === undefined || end + 1 >= until ? Infinity : wholeUntil;
  const summed = Math.min(until, partUntil, marks.length > marksLeftOut ? marks[0]! : Infinity);
  // Deleted rows exist only in the sums, so all whole hours of the time range count.
  const gone: Part = { gone: 1, from, to: Math.min(until, wholeUntil), without: [] };
  if (summed <= from) return { parts: [gone], ranges: [{ ...bounds(start, end) }] };
  const marked = marks.filter((hour) => hour >= from && hour < summed);
  const ranges: Range[] = marked.map((hour) => ({
    start: hour,
    end: Math.min(hour + hourSeconds, summed) - 1,
  }));
  if (start !== undefined && start < from) ranges.push({ start, end: from - 1 });
  if (end === undefined || end >= summed) ranges.push(bounds(summed, end));
  return { parts: [gone, { gone: 0, from, to: summed, without: marked } satisfies Part], ranges };
}

const bounds = (start: number | undefined, end: number | undefined): Range => ({
  ...(start !== undefined && { start }),
  ...(end !== undefined && { end }),
});

const ofTeams = (column: 'quota' | 'refunded') =>
  sql`coalesce(sum(case when team_id <> 0 then ${sql.ref(column)} else 0 end), 0)`;

/**
 * Sums charges with a key and those without separately: only the latter need their names compared, to exclude tests of
 * channels. The former, nearly all, then need only the index of margins, if the filter has nothing else. The type is a
 * literal, because that index has only rows of this type.
 */
function rows(db: Db, { type: _type, ...filter }: LogFilter): RawBuilder<unknown>[] {
  const query = db
    .selectFrom('logs')
    .select([
      sql`coalesce(sum(quota), 0)`.as('quota'),
      ofTeams('quota').as('team_quota'),
      sql`coalesce(sum(refunded), 0)`.as('refunded'),
      ofTeams('refunded').as('team_refunded'),
    ])
    .where('type', '=', sql.lit(CONSUME));
  const all = wholeFilter(filter, dialectOf(db));
  return [
    sql`${query.where('token_id', '<>', sql.lit(0)).where(all)}`,
    sql`${query.where('token_id', '=', sql.lit(0)).where('token_name', '<>', testTokenName).where(all)}`,
  ];
}

function sums(key: SumKey, { paidBy }: LogFilter, part: Part): RawBuilder<unknown>[] {
  const { kind } = key;
  // Unused columns of a kind are blank. Stating that lets the primary key find the rows. Users have both columns.
  const { ref, name } = kind === 'user' ? key : { ref: 0, name: '', ...key };
  const { gone, from, to, without } = part;
  if (to <= from) return [];
  // For users one of the two columns is stated. Otherwise a planner may prefer the hours of all users, which no index
  // has.
  const hour = kind === 'user' ? sql`hour + 0` : sql`hour`;
  const sumOf = (all: string, teams: string) =>
    ({
      user: sql`coalesce(sum(${sql.ref(all)} - ${sql.ref(teams)}), 0)`,
      team: sql`coalesce(sum(${sql.ref(teams)}), 0)`,
      all: sql`coalesce(sum(${sql.ref(all)}), 0)`,
    })[paidBy ?? 'all'];
  const teamSum = (teams: string) => (paidBy === 'user' ? sql`0` : sql`coalesce(sum(${sql.ref(teams)}), 0)`);
  return [
    sql`(select ${sumOf('quota', 'team_quota')} as quota, ${teamSum('team_quota')} as team_quota,
        ${sumOf('refunded', 'team_refunded')} as refunded, ${teamSum('team_refunded')} as team_refunded
      from log_hours
      where kind = ${sql.lit(sumKinds[kind])} and gone = ${sql.lit(gone)}
        and ${hour} >= ${sql.lit(from)} and ${hour} < ${sql.lit(to)}
        ${ref === undefined ? sql`` : sql`and ref = ${ref}`}
        ${name === undefined ? sql`` : sql`and name = ${name}`}
        ${without.length === 0 ? sql`` : sql`and hour not in (${sql.join(without.map((hour) => sql.lit(hour)))})`})`,
  ];
}

/** All parts in one statement, so that charges that move between them count once. */
async function total(db: Db, parts: readonly RawBuilder<unknown>[]): Promise<Charged> {
  const numbered = parts.map((part, at) => sql`select * from ${part} as ${sql.ref(`part${at}`)}`);
  const { rows: found } = await sql<Charged>`select sum(quota) as quota, sum(team_quota) as team_quota,
      sum(refunded) as refunded, sum(team_refunded) as team_refunded
    from (${sql.join(numbered, sql` union all `)}) as parts`.execute(db);
  const sum = (column: keyof Charged) => Number(found[0]?.[column] ?? 0);
  return {
    quota: sum('quota'),
    team_quota: sum('team_quota'),
    refunded: sum('refunded'),
    team_refunded: sum('team_refunded'),
  };
}

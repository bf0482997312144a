import { logType, testTokenName } from '@tollgate/contract';
import { type Expression, type ExpressionBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { hourOf } from '../../../../lib/clock.ts';
import { dialectOf, inTransaction } from '../../../db.ts';
import type { Db } from '../../../dialects/types.ts';
import type { Database } from '../../../schema/index.ts';
import type { LogHourTable } from '../../../schema/upkeep.ts';
import { batches, countOf } from '../../shared.ts';
import { onSides, type Side, findSides } from '../../log-archive/sides.ts';
import { hourSeconds, lockSummedUntil, moveOn, nextHour } from './marks.ts';

/** Dimensions of the hourly sums. The numbers are stored. */
export const sumKinds = {
  all: 0,
  user: 1,
  channel: 2,
  model: 3,
  group: 4,
  keyName: 5,
  team: 6,
  userModel: 7,
} as const;
export type SumKind = keyof typeof sumKinds;

/** Columns of the log that identify the rows of a sum. Both for users: rows have the name at their time. */
export const columnsOf: Readonly<Record<SumKind, { ref?: Ref; name?: Name }>> = {
  all: {},
  user: { ref: 'user_id', name: 'username' },
  channel: { ref: 'channel_id' },
  model: { name: 'model_name' },
  group: { name: 'group' },
  keyName: { name: 'token_name' },
  team: { ref: 'team_id' },
  userModel: { ref: 'user_id', name: 'model_name' },
};
type Ref = 'user_id' | 'channel_id' | 'team_id';
type Name = 'username' | 'model_name' | 'group' | 'token_name';
export const kinds = Object.keys(columnsOf) as SumKind[];

export type HourSum = Selectable<LogHourTable>;

/** Charged amount of a row, without tests of channels. */
const isCharge = (eb: ExpressionBuilder<Database, 'logs'>) =>
  eb.and([
    eb('type', '=', sql.lit(logType.consume)),
    eb.or([eb('token_id', '<>', sql.lit(0)), eb('token_name', '<>', testTokenName)]),
  ]);

const sumWhere = (
  eb: ExpressionBuilder<Database, 'logs'>,
  is: Expression<SqlBool>,
  column: 'quota' | 'refunded',
) => eb.fn.sum<number>(eb.case().when(is).then(eb.ref(column)).else(sql.lit(0)).end());

/** A part of an hour, or a whole one: Unix seconds, the end not included. */
export interface HourPart {
  from: number;
  to: number;
}

/**
 * Sums of the rows of an hour or of a part of it. Empty sums are omitted, except those of users, which are searched by
 * name. Each database sums its own rows: rows that have moved to the archive count there.
 */
export async function sumPart(db: Db, part: HourPart): Promise<HourSum[]> {
  const [{ ids }] = await findSides(db);
  const sums: HourSum[] = [];
  for (const kind of kinds) sums.push(...(await sumsOfKind({ db, ids }, part, kind)));
  return sums;
}

async function sumsOfKind(
  { db, ids }: Pick<Side, 'db' | 'ids'>,
  { from, to }: HourPart,
  kind: SumKind,
): Promise<HourSum[]> {
  const { ref, name } = columnsOf[kind];
  const columns = [ref, name].filter((column) => column !== undefined);
  let query = db
    .selectFrom('logs')
    .select((eb) => [
      sumWhere(eb, isCharge(eb), 'quota').as('quota'),
      sumWhere(eb, isCharge(eb), 'refunded').as('refunded'),
      sumWhere(eb, eb.and([isCharge(eb), eb('team_id', '<>', sql.lit(0))]), 'quota').as('team_quota'),
      sumWhere(eb, eb.and([isCharge(eb), eb('team_id', '<>', sql.lit(0))]), 'refunded').as('team_refunded'),
      sql<number>`${ref ? eb.ref(ref) : sql.lit(0)}`.as('ref'),
      sql<string>`${name ? eb.ref(name) : sql.lit('')}`.as('name'),
    ])
    .where('created_at', '>=', from)
    .where('created_at', '<', to);
  if (ids.above !== undefined) query = query.where('id', '>', ids.above);
  if (columns.length > 0) query = query.groupBy(columns);
  const rows = await query.execute();
  return rows
    .map((row) => ({
      kind: sumKinds[kind],
      ref: row.ref,
      name: row.name,
      hour: hourOf(from),
      gone: 0,
      quota: Number(row.quota ?? 0),
      team_quota: Number(row.team_quota ?? 0),
      refunded: Number(row.refunded ?? 0),
      team_refunded: Number(row.team_refunded ?? 0),
    }))
    .filter(({ quota, refunded }) => quota !== 0 || refunded !== 0 || kind === 'user');
}

/** New sums of an hour; its rows were read after `marks` and the end. */
export interface SummedHour {
  hour: number;
  sums: readonly HourSum[];
  marks: readonly number[];
  /** The end of the summed time at that moment; the hour's rows were read up to it. */
  until: number;
}

/** Additional sums for the time from the former end, `from`, to the new one. The rows were read after the end. */
export interface SumsMoved {
  from: number;
  to: number;
  sums: readonly HourSum[];
}

class Overtaken extends Error {}

/** Replaces the sums of an hour; writes nothing and returns false if another process was faster. */
export function putHour(db: Db, { hour, sums, marks, until }: SummedHour): Promise<boolean> {
  return unlessOvertaken(db, async (trx) => {
    if ((await lockSummedUntil(trx)) !== until) throw new Overtaken();
    for (const part of batches(marks)) {
      const taken = await trx.deleteFrom('log_hour_marks').where('id', 'in', part).executeTakeFirstOrThrow();
      if (countOf(taken) !== part.length) throw new Overtaken();
    }
    await trx.deleteFrom('log_hours').where('hour', '=', hour).where('gone', '=', 0).execute();
    for (const part of batches(sums)) await trx.insertInto('log_hours').values(part).execute();
  });
}

/** Adds the next rows to the sums and advances their end; writes nothing and returns false if another process was faster. */
export function addToHour(db: Db, { from, to, sums }: SumsMoved): Promise<boolean> {
  return unlessOvertaken(db, async (trx) => {
    if (!(await moveOn(trx, from, to))) throw new Overtaken();
    await addSums(trx, sums.toSorted(byKey));
  });
}

async function unlessOvertaken(db: Db, write: (trx: Db) => Promise<void>): Promise<boolean> {
  try {
    await inTransaction(db, write);
    return true;
  } catch (error) {
    if (error instanceof Overtaken) return false;
    throw error;
  }
}

/** The same order for all writers, to prevent deadlocks. */
export function byKey(a: HourSum, b: HourSum): number {
  if (a.kind !== b.kind) return a.kind - b.kind;
  if (a.ref !== b.ref) return a.ref - b.ref;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.hour - b.hour;
}

type Amount = 'quota' | 'team_quota' | 'refunded' | 'team_refunded';

/** Adds sums to the stored ones. */
export async function addSums(db: Db, sums: readonly HourSum[]): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  const plus = (column: Amount) => sql<number>`${sql.ref(`log_hours.${column}`)} + ${incoming(column)}`;
  for (const part of batches(sums)) {
    await db
      .insertInto('log_hours')
      .values(part)
      .modifyEnd(
        upsert(['kind', 'ref', 'name', 'hour', 'gone'], {
          quota: plus('quota'),
          team_quota: plus('team_quota'),
          refunded: plus('refunded'),
          team_refunded: plus('team_refunded'),
        }),
      )
      .execute();
  }
}

/** The stored sums of an hour, without those of deleted rows. */
export const ofHour = (db: Db, hour: number): Promise<HourSum[]> =>
  db.selectFrom('log_hours').selectAll().where('hour', '=', hour).where('gone', '=', 0).execute();

/** Ids of users with rows under a name in summed hours; a few at most. */
export async function usersNamed(db: Db, name: string): Promise<number[]> {
  const rows = await db
    .selectFrom('log_hours')
    .select('ref')
    .where('name', '=', name)
    .where('kind', '=', sql.lit(sumKinds.user))
    .groupBy('ref')
    .limit(2)
    .execute();
  return rows.map(({ ref }) => ref);
}

/** Ids of users with charges for a model in summed hours since a moment (Unix seconds). */
export async function usersOfModel(db: Db, model: string, since: number): Promise<number[]> {
  const ids = await onSides(db, async (side) => {
    const rows = side.db
      .selectFrom('log_hours')
      .select('ref')
      .where('kind', '=', sql.lit(sumKinds.userModel))
      .where('name', '=', model)
      .where('hour', '>=', since)
      .groupBy('ref');
    return (await rows.execute()).map(({ ref }) => ref);
  });
  return [...new Set(ids.flat())];
}

/** The hours before a moment that have rows or sums. */
export async function hoursBefore(db: Db, until: number): Promise<number[]> {
  const hours = new Set<number>();
  const summed = db.selectFrom('log_hours').select('hour').where('gone', '=', 0).where('hour', '<', until);
  for (const { hour } of await summed.groupBy('hour').execute()) hours.add(hour);
  for (let hour = await nextHour(db, 0); hour !== undefined && hour < until;) {
    hours.add(hour);
    hour = await nextHour(db, hour + hourSeconds);
  }
  return [...hours].toSorted((a, b) => a - b);
}

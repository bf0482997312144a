import { logType, testTokenName } from '@tollgate/contract';
import { type Expression, type ExpressionBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { inTransaction } from '../../../db.ts';
import type { Db } from '../../../dialects/types.ts';
import type { Database } from '../../../schema/index.ts';
import type { LogHourTable } from '../../../schema/log-hour.ts';
import { batches, countOf } from '../../shared.ts';
import { type Side, sidesOf } from '../sides/sides.ts';
import { hourSeconds, moveOn, nextHour } from './marks.ts';

/** What sums by the hour stand for. The numbers are stored. */
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

/** Columns of the log that tell the rows of a sum. Of users both: rows stand under the name of their time. */
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

/** What of a row counts as charged: tests of channels have no part in it. */
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

/**
 * The sums of the rows of an hour. Sums of nothing are left out, but for users, whose names are looked for. Each database
 * sums its own: rows that have moved to the archive count there.
 */
export async function sumsOfHour(db: Db, hour: number): Promise<HourSum[]> {
  const [{ ids }] = await sidesOf(db);
  const sums: HourSum[] = [];
  for (const kind of kinds) sums.push(...(await sumsOfKind({ db, ids }, hour, kind)));
  return sums;
}

async function sumsOfKind(
  { db, ids }: Pick<Side, 'db' | 'ids'>,
  hour: number,
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
    .where('created_at', '>=', hour)
    .where('created_at', '<', hour + hourSeconds);
  if (ids.above !== undefined) query = query.where('id', '>', ids.above);
  if (columns.length > 0) query = query.groupBy(columns);
  const rows = await query.execute();
  return rows
    .map((row) => ({
      kind: sumKinds[kind],
      ref: row.ref,
      name: row.name,
      hour,
      gone: 0,
      quota: Number(row.quota ?? 0),
      team_quota: Number(row.team_quota ?? 0),
      refunded: Number(row.refunded ?? 0),
      team_refunded: Number(row.team_refunded ?? 0),
    }))
    .filter(({ quota, refunded }) => quota !== 0 || refunded !== 0 || kind === 'user');
}

/** What sums an hour: its rows were read after `marks` and the end `from` had been read. */
export interface SummedHour {
  hour: number;
  sums: readonly HourSum[];
  marks: readonly number[];
  /** Moves the end of what is summed as well; absent where the hour is summed anew. */
  move?: { from: number; to: number };
}

class Overtaken extends Error {}

/** Writes the sums of an hour; false, and nothing is written, where another process was faster. */
export async function putHour(db: Db, { hour, sums, marks, move }: SummedHour): Promise<boolean> {
  try {
    await inTransaction(db, async (trx) => {
      if (move && !(await moveOn(trx, move.from, move.to))) throw new Overtaken();
      for (const part of batches(marks)) {
        const taken = await trx
          .deleteFrom('log_hour_marks')
          .where('id', 'in', part)
          .executeTakeFirstOrThrow();
        if (countOf(taken) !== part.length) throw new Overtaken();
      }
      await trx.deleteFrom('log_hours').where('hour', '=', hour).where('gone', '=', 0).execute();
      for (const part of batches(sums)) await trx.insertInto('log_hours').values(part).execute();
    });
    return true;
  } catch (error) {
    if (error instanceof Overtaken) return false;
    throw error;
  }
}

/** The sums of an hour that stand in the table, those of deleted rows left out. */
export const ofHour = (db: Db, hour: number): Promise<HourSum[]> =>
  db.selectFrom('log_hours').selectAll().where('hour', '=', hour).where('gone', '=', 0).execute();

/** The ids of users whose rows bear a name, in hours that are summed; at most a few. */
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

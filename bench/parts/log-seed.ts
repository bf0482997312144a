import { type RawBuilder, sql } from 'kysely';
import { createLogHours } from '../../packages/server/src/services/upkeep/logs/index.ts';
import {
  type Db,
  dialectOf,
  logHourMarks,
  logHours,
  openStore,
  type Store,
} from '../../packages/server/src/store/index.ts';
import { insertRows } from './log-rows.ts';

const day = 86_400;
const hour = 3_600;
const days = 90;
/** No limit for the duration of a statement. */
const statementTimeoutMs = 3_600_000;

/** Duration of the parts of a fill, in seconds. */
export interface Seeded {
  rows: number;
  /** Creating the index over margins, which a migration creates again over the whole log. */
  marginIndex: number;
  all: number;
}

/** Calls of the busiest period of a log with this number of rows. */
const busyRows = (rows: number): number => Math.min(200_000, Math.floor(rows / 50));

/**
 * Fills the log of a migrated, unused database with `rows` rows in order of time: 500 users, 40 models of
 * which each user has four, 20 channels, over the last 90 days. In the last hour the first user has so many calls that its
 * rows take long to read. Then sums its hours, and checks the sums against the rows.
 */
export async function seedLog(url: string, rows: number): Promise<Seeded> {
  const store = await openStore({ url, statementTimeoutMs, reportTimeoutMs: statementTimeoutMs });
  const startedAt = performance.now();
  await store.sqlite?.exclusive((raw) => {
    raw.exec('pragma synchronous = off');
    raw.exec('pragma cache_size = -400000');
  });
  const now = Math.floor(Date.now() / 1_000);
  const busy = busyRows(rows);
  const usual = rows - busy;
  const span = days * day - hour;
  const marginIndex = await withoutIndexes(store.db, async () => {
    await insertRows(store.db, {
      from: 0,
      count: usual,
      start: now - days * day,
      apart: span / usual,
      isBusy: false,
    });
    await insertRows(store.db, {
      from: usual,
      count: busy,
      start: now - hour,
      apart: hour / busy,
      isBusy: true,
    });
  });
  await analyze(store.db);
  await sumHours(store, now - (now % day) - days * day, now - 2 * hour - (now % hour));
  await analyze(store.db);
  await checkSums(store);
  await store.close();
  return { rows, marginIndex, all: (performance.now() - startedAt) / 1_000 };
}

interface Index {
  name: string;
  definition: string;
}

/** Statements that create the log's indexes; on MySQL the clauses of ALTER TABLE. */
async function readIndexes(db: Db): Promise<Index[]> {
  const asked: Record<'sqlite' | 'postgres' | 'mysql', RawBuilder<Index>> = {
    sqlite: sql`select name, sql as definition from sqlite_master
      where type = 'index' and tbl_name = 'logs' and sql is not null`,
    postgres: sql`select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as definition from pg_indexes
      where tablename = 'logs' and indexname <> 'logs_pkey'`,
    mysql: sql`select index_name as name, concat('add index ', index_name, ' (',
        group_concat(column_name order by seq_in_index), ')') as definition
      from information_schema.statistics
      where table_schema = database() and table_name = 'logs' and index_name <> 'PRIMARY' group by index_name`,
  };
  const { rows } = await asked[dialectOf(db).kind].execute(db);
  return rows;
}

/** Statements that create indexes again. MySQL reads the table once for all indexes of one statement. */
function createIndexes(db: Db, indexes: readonly Index[]): string[] {
  const definitions = indexes.map(({ definition }) => definition);
  if (dialectOf(db).kind !== 'mysql' || definitions.length === 0) return definitions;
  return [`alter table logs ${definitions.join(', ')}`];
}

const margin = 'logs_margin';

/** Creating an index over ten million rows is faster than inserting them one by one. Returns the duration for the margin index (s). */
async function withoutIndexes(db: Db, work: () => Promise<void>): Promise<number> {
  const indexes = await readIndexes(db);
  for (const { name } of indexes) await dialectOf(db).schema.dropIndex('logs', name).execute(db);
  await work();
  const others = indexes.filter(({ name }) => name !== margin);
  for (const statement of createIndexes(db, others)) await sql.raw(statement).execute(db);
  const startedAt = performance.now();
  const last = indexes.filter(({ name }) => name === margin);
  for (const statement of createIndexes(db, last)) await sql.raw(statement).execute(db);
  return (performance.now() - startedAt) / 1_000;
}

async function analyze(db: Db): Promise<void> {
  const statements = {
    sqlite: 'analyze',
    postgres: 'vacuum analyze logs, log_hours',
    mysql: 'analyze table logs, log_hours',
  };
  await sql.raw(statements[dialectOf(db).kind]).execute(db);
}

/**
 * Writes the calls of a busy hour into the minutes that are not summed yet, on an unused database;
 * returns their number, and the seconds they cover.
 */
export async function seedBusyMinutes(url: string, { rows }: Pick<Seeded, 'rows'>) {
  const store = await openStore({ url, statementTimeoutMs });
  const start = await logHourMarks.summedUntil(store.db);
  const seconds = Math.floor(Date.now() / 1_000) - start;
  const count = busyRows(rows);
  await insertRows(store.db, { from: rows, count, start, apart: seconds / count, isBusy: true });
  await store.close();
  return { rows: count, seconds };
}

/**
 * Sums a range of hours by statements of one day each, in a tenth of the time that the hourly job needs. The job sums
 * the later rows. All rows are charges of calls, none of tests. They are in the order of their ids, along
 * which a day is read faster than along the index over times.
 */
async function sumHours(store: Store, from: number, to: number): Promise<void> {
  const { db, reports } = store;
  await db.deleteFrom('log_hours').execute();
  await logHourMarks.forgetUntil(db);
  for (let start = from; start < to; start += day) {
    const end = Math.min(start + day, to);
    const { first, last } = await db
      .selectFrom('logs')
      .select((eb) => [eb.fn.min('id').as('first'), eb.fn.max('id').as('last')])
      .where('created_at', '>=', start)
      .where('created_at', '<', end)
      .executeTakeFirstOrThrow();
    if (first === null) continue;
    const isOfDay = sql`id between ${sql.lit(first)} and ${sql.lit(last)}
      and created_at + 0 >= ${sql.lit(start)} and created_at + 0 < ${sql.lit(end)}`;
    for (const kind of logHours.kinds) {
      const { ref, name } = logHours.columnsOf[kind];
      await sql`
        insert into log_hours (kind, ref, name, hour, gone, quota, team_quota, refunded, team_refunded)
        select ${sql.lit(logHours.sumKinds[kind])}, ref, name, hour, 0, sum(quota), sum(team_quota), sum(refunded),
          sum(team_refunded)
        from (select ${ref ? sql.ref(ref) : sql.lit(0)} as ref, ${name ? sql.ref(name) : sql.lit('')} as name,
            created_at - created_at % 3600 as hour, quota, refunded,
            case when team_id <> 0 then quota else 0 end as team_quota,
            case when team_id <> 0 then refunded else 0 end as team_refunded
          from logs where type = 2 and ${isOfDay}) as charges
        group by ref, name, hour
        having sum(quota) <> 0 or sum(refunded) <> 0 or ${sql.lit(kind === 'user' ? 1 : 0)} = 1`.execute(db);
    }
  }
  await logHourMarks.moveOn(db, 0, to);
  await createLogHours({ db, reports, clock: Date.now }).work(Infinity);
}

/** Throws if hourly sums of any kind differ from the sums of the rows. */
async function checkSums({ db, reports }: Store): Promise<void> {
  const until = await logHourMarks.summedUntil(db);
  const { rows } = await sql<{ kind: number; quota: number; refunded: number }>`
    select kind, sum(quota) as quota, sum(refunded) as refunded from log_hours group by kind
    union all select -1, sum(quota), sum(refunded) from logs where type = 2 and created_at < ${sql.lit(until)}`.execute(
    db,
  );
  const charged = (of: number) => {
    const row = rows.find(({ kind }) => Number(kind) === of);
    return `${Number(row?.quota ?? 0)} ${Number(row?.refunded ?? 0)}`;
  };
  for (const kind of logHours.kinds)
    if (kind !== 'team' && charged(logHours.sumKinds[kind]) !== charged(-1))
      throw new Error(`sums by ${kind} are ${charged(logHours.sumKinds[kind])}, the rows say ${charged(-1)}`);
  // The product's own check: one hour per call, by the clock.
  for (let minutes = 0; minutes < 60; minutes += 10) {
    const clock = () => Date.now() + minutes * 60_000;
    const found = await createLogHours({ db, reports, clock }).check();
    if (found.length > 0) throw new Error(found.join('\n'));
  }
}

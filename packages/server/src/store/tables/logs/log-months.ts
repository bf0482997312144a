import { sql } from 'kysely';
import { nextMonth } from '../../../lib/clock.ts';
import { archiveOf, dialectOf, inTransaction } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { archivedUpTo } from '../log-archive/marks.ts';
import { lockSummedUntil } from './hours/marks.ts';

/** Number of months after the present one with a partition. */
const monthsAhead = 2;

/** Writes to the log wait while another transaction waits for an exclusive lock, so that wait is short. */
const patience = sql`set local lock_timeout = '500ms'`;

/** A partition of the log: the rows from one moment up to another, which is not included (Unix seconds). */
interface Month {
  name: string;
  from: number;
  to: number;
}

/**
 * Makes the partitions of the coming months on PostgreSQL, in the main database and in the archive. Rows of a month
 * without one are in `logs_later` and are moved. Other databases have no partitions.
 */
export async function makeMonths(db: Db, now: number): Promise<void> {
  for (const side of [db, archiveOf(db)?.db]) if (side && isPartitioned(side)) await makeOn(side, now);
}

async function makeOn(db: Db, now: number): Promise<void> {
  const last = (await listMonths(db)).at(-1)?.to ?? 0;
  for (let from = last; from < nextMonth(now, 1 + monthsAhead); from = nextMonth(from)) {
    const to = nextMonth(from);
    const name = sql.table(`logs_${new Date(from * 1000).toISOString().slice(0, 7).replace('-', '_')}`);
    await inTransaction(db, async (trx) => {
      await patience.execute(trx);
      // Attached, because a partition that is created as one locks out every reader and writer meanwhile.
      await sql`create table ${name} (like logs including defaults)`.execute(trx);
      await sql`with late as (
          delete from logs_later where created_at >= ${from} and created_at < ${to} returning *
        ) insert into ${name} select * from late`.execute(trx);
      await sql`alter table logs attach partition ${name}
        for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(trx);
      // The tags of moved rows were deleted with them from `logs_later`, and no trigger ran here when they arrived.
      await sql`insert into log_tags (log_id, name, value, created_at)
        select id, tag.key, tag.value, created_at from ${name}, json_each_text(tags::json) as tag
        where tags is not null on conflict do nothing`.execute(trx);
    });
  }
}

/**
 * Drops the months of the log that ended before a moment (Unix seconds), and returns their number of rows. Their
 * charges stay in the hourly sums. A month stays, and its rows are deleted one by one, if some of its hours wait to be
 * summed, a report reads the log for long, or the log has an archive.
 */
export async function dropMonths(db: Db, before: number): Promise<number> {
  if (!isPartitioned(db) || archiveOf(db) || (await archivedUpTo(db)) > 0) return 0;
  let rows = 0;
  for (const month of await listMonths(db)) if (month.to <= before) rows += await drop(db, month);
  // A dropped month leaves its tags, which no filter finds without their rows.
  if (rows > 0)
    await sql`delete from log_tags where created_at < ${before}
      and not exists (select 1 from logs where logs.id = log_tags.log_id)`.execute(db);
  return rows;
}

async function drop(db: Db, { name, from, to }: Month): Promise<number> {
  const table = sql.table(name);
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${table}`.execute(db);
  try {
    return await db.transaction().execute(async (trx) => {
      await patience.execute(trx);
      await sql`lock table logs in access exclusive mode`.execute(trx);
      if ((await lockSummedUntil(trx)) < to || (await isMarked(trx, { from, to }))) return 0;
      await keepSums(trx, { from, to });
      await sql`drop table ${table}`.execute(trx);
      return rows[0]?.count ?? 0;
    });
  } catch (error) {
    if (dialectOf(db).isConflict(error)) return 0;
    throw error;
  }
}

type Span = Omit<Month, 'name'>;

async function isMarked(trx: Db, { from, to }: Span): Promise<boolean> {
  const found = await trx
    .selectFrom('log_hour_marks')
    .select('id')
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Moves the charges of hours from existing to deleted rows, as `keepDeleted` does by row. */
async function keepSums(trx: Db, { from, to }: Span): Promise<void> {
  const there = sql`log_hours where gone = 0 and hour >= ${from} and hour < ${to}`;
  // A concurrent sum of the hour has read rows that are deleted now, so the hour is summed again.
  await sql`insert into log_hour_marks (hour) select distinct hour from ${there}`.execute(trx);
  await sql`with moved as (delete from ${there} returning *)
    insert into log_hours (kind, ref, name, hour, gone, quota, team_quota, refunded, team_refunded)
    select kind, ref, name, hour, 1, quota, team_quota, refunded, team_refunded from moved
      where quota <> 0 or refunded <> 0
    on conflict (kind, ref, name, hour, gone) do update set
      quota = log_hours.quota + excluded.quota, team_quota = log_hours.team_quota + excluded.team_quota,
      refunded = log_hours.refunded + excluded.refunded,
      team_refunded = log_hours.team_refunded + excluded.team_refunded`.execute(trx);
}

const isPartitioned = (db: Db): boolean => dialectOf(db).kind === 'postgres';

/** The partitions with an end, the oldest first. */
async function listMonths(db: Db): Promise<Month[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select relname as name, pg_get_expr(relpartbound, oid) as bound from pg_class
    where oid in (select inhrelid from pg_inherits where inhparent = 'logs'::regclass)`.execute(db);
  return rows
    .flatMap(({ name, bound }) => {
      const [, from, to] = /FROM \((.*)\) TO \('(\d+)'\)/.exec(bound) ?? [];
      return to ? [{ name, from: Number(/\d+/.exec(from ?? '')?.[0] ?? 0), to: Number(to) }] : [];
    })
    .toSorted((a, b) => a.to - b.to);
}

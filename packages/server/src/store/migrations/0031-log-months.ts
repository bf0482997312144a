import { sql } from 'kysely';
import { nextMonth } from '../../lib/clock.ts';
import type { Db } from '../dialects/types.ts';
import type { Migration } from './writer.ts';

/**
 * On PostgreSQL the log is partitioned by month (UTC), so that a month can be dropped at once. Existing rows and the
 * rest of this month become the first partition; `store/tables/logs/log-months.ts` makes later ones. Two scans of the
 * old table: for its new key, which must include the time, and to prove that no row is later.
 */
export const logMonths: Migration = {
  name: '0031-log-months',
  steps: (db, { kind }) => (kind === 'postgres' ? [() => partition(db)] : []),
};

async function partition(db: Db): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = current_schema() and tablename = 'logs' and indexname <> 'logs_pkey'`.execute(db);
  const { rows } = await sql<{ next: number; latest: number }>`
    select nextval(pg_get_serial_sequence('logs', 'id')) as next,
      greatest(extract(epoch from now())::bigint, (select max(created_at) from logs)) as latest`.execute(db);
  const { next, latest } = rows[0]!;
  const end = nextMonth(latest);

  await run('alter table logs rename to logs_before');
  for (const { name } of indexes)
    await run(`alter index ${name} rename to ${name.replace('logs_', 'logs_before_')}`);
  await run('alter table logs_before drop constraint logs_pkey, alter column id drop identity');
  await run('alter table logs_before add primary key (id, created_at)');
  await run(`alter table logs_before add constraint logs_before_end check (created_at < ${end})`);

  await run('create table logs (like logs_before including defaults) partition by range (created_at)');
  // Before version 17 a partitioned table has no identity column. Ids of deleted rows are never given again.
  await run(`create sequence logs_id_seq start ${next} owned by logs.id`);
  await run(`alter table logs alter column id set default nextval('logs_id_seq')`);
  await run('alter table logs add primary key (id, created_at)');
  await run(`alter table logs attach partition logs_before for values from (minvalue) to (${end})`);
  await run('alter table logs_before drop constraint logs_before_end');
  // A definition now names the new table, and includes the index of the partition.
  for (const { definition } of indexes) await run(definition);
  await run('create table logs_later partition of logs default');
}

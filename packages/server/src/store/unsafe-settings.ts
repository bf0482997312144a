import { sql } from 'kysely';
import type { Store } from './open.ts';

/**
 * Settings of a database server under which a crash can lose confirmed transactions, as `name=value`. Empty on SQLite,
 * whose settings Tollgate sets.
 *
 * Sources: PostgreSQL, "Write Ahead Log"; MySQL, "InnoDB Startup Options" and "Binary Logging Options": with a binary
 * log, InnoDB rolls back transactions that are not in it after a crash.
 */
export async function unsafeSettings({ kind, db }: Pick<Store, 'kind' | 'db'>): Promise<string[]> {
  if (kind === 'sqlite') return [];
  if (kind === 'postgres') {
    const { rows } = await sql<{ name: string; setting: string }>`select name, setting from pg_settings
      where name in ('fsync', 'full_page_writes') and setting = 'off' order by name`.execute(db);
    return rows.map(({ name, setting }) => `${name}=${setting}`);
  }
  const { rows } = await sql<Record<'flush' | 'pages' | 'log' | 'sync', unknown>>`select
    @@global.innodb_flush_log_at_trx_commit as ${sql.ref('flush')}, @@global.innodb_doublewrite as ${sql.ref('pages')},
    @@global.log_bin as ${sql.ref('log')}, @@global.sync_binlog as ${sql.ref('sync')}`.execute(db);
  const { flush, pages, log, sync } = rows[0]!;
  const isOff = (value: unknown): boolean => /^(?:0|off|detect_only)$/i.test(String(value));
  return [
    ...(String(flush) === '1' ? [] : [`innodb_flush_log_at_trx_commit=${String(flush)}`]),
    ...(isOff(pages) ? [`innodb_doublewrite=${String(pages)}`] : []),
    ...(isOff(log) || String(sync) === '1' ? [] : [`sync_binlog=${String(sync)}`]),
  ];
}

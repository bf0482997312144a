import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { depthOf, freshServer, missingServer } from './each-dialect.ts';
import { openStore, type Store } from './open.ts';
import { unsafeSettings } from './unsafe-settings.ts';

const open: Store[] = [];
const openOn = async (url: string): Promise<Store> => {
  const store = await openStore({ url });
  open.push(store);
  return store;
};
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

it('SQLite has no settings of a server', async () => {
  expect(await unsafeSettings(await openOn('sqlite::memory:'))).toEqual([]);
});

const noPostgres = missingServer('postgres');
describe.skipIf(noPostgres !== undefined)(`PostgreSQL ${noPostgres ?? ''}`, () => {
  it('is told of by the settings that lose confirmed transactions', async () => {
    // The tests' server does not wait for the disk.
    expect(await unsafeSettings(await openOn(await freshServer('postgres')))).toEqual(['fsync=off']);
  });

  it.each([
    ['off', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('with synchronous_commit=%s confirms transactions as with %s', async (given, used) => {
    const url = await freshServer('postgres');
    const first = await openOn(url);
    const name = new URL(url).pathname.slice(1);
    await sql`alter database ${sql.ref(name)} set synchronous_commit = ${sql.lit(given)}`.execute(first.db);
    const { rows } = await sql`show synchronous_commit`.execute((await openOn(url)).db);
    expect(rows).toEqual([{ synchronous_commit: used }]);
  });
});

const noMysql = missingServer('mysql');
describe.skipIf(noMysql !== undefined)(`MySQL or MariaDB ${noMysql ?? ''}`, depthOf('mysql'), () => {
  it('is told of by the settings that lose confirmed transactions', async () => {
    const store = await openOn(await freshServer('mysql'));
    const { rows } = await sql<{
      value: number;
    }>`select @@global.innodb_flush_log_at_trx_commit as value`.execute(store.db);
    const before = rows[0]!.value;
    const flush = (value: number) =>
      sql`set global innodb_flush_log_at_trx_commit = ${sql.lit(value)}`.execute(store.db);
    try {
      await flush(0);
      expect(await unsafeSettings(store)).toContain('innodb_flush_log_at_trx_commit=0');
      await flush(1);
      expect((await unsafeSettings(store)).join(' ')).not.toContain('innodb_flush_log');
    } finally {
      await flush(before);
    }
  });
});

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { eachDialect } from './each-dialect.ts';
import { ForeignTables, takenNames } from './foreign-tables.ts';
import { SchemaTooNew, migrate, schemaState } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { SchemaWriter } from './migrations/writer.ts';
import type { Migration } from './migrations/writer.ts';
import type { Store } from './open.ts';

/** The tables of the type `Database`. */
const tableNames = [
  ...readFileSync(join(import.meta.dirname, 'schema/index.ts'), 'utf8').matchAll(/^ {2}(\w+): \w+Table;$/gm),
].map(([, name]) => name ?? '');

/** The existing tables, without the partitions of the log. */
const tablesIn = async ({ db }: Store): Promise<string[]> => {
  const tables = await db.introspection.getTables();
  return tables.map(({ name }) => name).filter((name) => !name.startsWith('logs_'));
};

/** Starts a separate process that opens the database and migrates it; returns its exit code and last output. */
async function migrateElsewhere(url: string): Promise<{ code: unknown; printed: string }> {
  const door = join(import.meta.dirname, 'index.ts');
  const program = `
    import { migrate, openStore } from ${JSON.stringify(door)};
    const store = await openStore({ url: process.argv[1] });
    await migrate(store);
    await store.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, url]);
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, printed };
}

eachDialect('migrations', ({ open, openAgain, openBlank, url }) => {
  it('create every table of the schema, once', async () => {
    const store = await open();
    const tables = await tablesIn(store);
    expect(tables.toSorted()).toEqual([...tableNames, 'migrations'].toSorted());
    await expect(migrate(store)).resolves.toBeUndefined();
  });

  it("list the tables that they create, so that no foreign table is taken for one of Tollgate's", async () => {
    const store = await open();
    expect((await takenNames(store, migrations)).toSorted()).toEqual(tableNames.toSorted());
  });

  it('refuse the database of another program at every start, and leave it as it was', async () => {
    const store = await openBlank();
    await sql`create table users (id int, github_id varchar(20))`.execute(store.db);
    await sql`insert into users values (1, 'octocat')`.execute(store.db);
    await sql`create table prices (id int)`.execute(store.db);
    expect(await schemaState(store)).toBe('foreign');
    // A supervisor restarts an ended process repeatedly.
    for (let start = 0; start < 3; start += 1)
      await expect(migrate(store)).rejects.toThrow(/another program \(users\)/);
    await expect(migrate(store)).rejects.toBeInstanceOf(ForeignTables);
    const tables = await tablesIn(store);
    expect(tables.toSorted()).toEqual(['prices', 'users']);
    expect((await sql`select github_id from users`.execute(store.db)).rows).toEqual([
      { github_id: 'octocat' },
    ]);
  });

  it('accept tables of other names beside them', async () => {
    const store = await openBlank();
    await sql`create table prices (id int)`.execute(store.db);
    expect(await schemaState(store)).toBe('empty');
    await migrate(store);
    expect(await schemaState(store)).toBe('current');
  });

  it('move identities out of the users, the oldest of those who shared one keeping it', async () => {
    const store = await openBlank();
    const before = migrations.findIndex(({ name }) => name === '0008-identities');
    await migrate(store, { migrations: migrations.slice(0, before) });
    const columns = ['github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id'];
    for (const [id, username, github, oidc] of [
      [1, 'ann', '42', 'sub-1'],
      [2, 'bob', '42', ''],
    ]) {
      const rest = { password: '', display_name: '', email: '', setting: '', group: 'default' };
      const numbers = {
        account_id: id,
        role: 1,
        status: 1,
        used_quota: 0,
        request_count: 0,
        created_time: 1,
      };
      const rewards = { aff_count: 0, aff_quota: 0, aff_history: 0, inviter_id: 0 };
      const known = {
        ...Object.fromEntries(columns.map((column) => [column, ''])),
        github_id: github,
        oidc_id: oidc,
      };
      const row = { id, username, ...rest, ...numbers, ...rewards, ...known };
      await sql`insert into users (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
        values (${sql.join(Object.values(row))})`.execute(store.db);
    }
    await migrate(store);
    const rows = await store.db.selectFrom('identities').selectAll().orderBy('provider').execute();
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { provider: 'github', subject: '42', user_id: 1, created_time: 0, ended: 0 },
      { provider: 'oidc', subject: 'sub-1', user_id: 1, created_time: 0, ended: 0 },
    ]);
    const table = (await store.db.introspection.getTables()).find(({ name }) => name === 'users')!;
    expect(table.columns.filter(({ name }) => columns.includes(name))).toEqual([]);
  });

  it('keep redemption codes, which the start that follows encrypts', async () => {
    const store = await openBlank();
    const before = migrations.findIndex(({ name }) => name === '0025-sealed-codes');
    await migrate(store, { migrations: migrations.slice(0, before) });
    const quota = { quota: 5, created_time: 1, redeemed_time: 0, used_user_id: 0 };
    const row = { user_id: 1, key: 'a-code-in-clear-text', status: 1, name: 'gift', ...quota };
    await sql`insert into redemptions (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
      values (${sql.join(Object.values(row))})`.execute(store.db);
    await migrate(store);
    const kept = await store.db.selectFrom('redemptions').selectAll().executeTakeFirstOrThrow();
    expect(kept).toMatchObject({ key_hash: 'a-code-in-clear-text', key_sealed: '', quota: 5 });
  });

  it('move the channels of stored responses to all that vendors keep, also when they are interrupted', async () => {
    const store = await openBlank();
    const before = migrations.findIndex(({ name }) => name === '0079-stored-responses-as-objects');
    await migrate(store, { migrations: migrations.slice(0, before) });
    await sql`insert into stored_responses (name, channel_id, key_id, at)
      values ('a', 3, 'k', 1800000000), ('b', 4, '', 1800000001)`.execute(store.db);
    const [move] = migrations[before]!.steps(store.db, store.dialect);
    await move!();
    await migrate(store);
    const rows = await store.db.selectFrom('vendor_objects').selectAll().orderBy('name').execute();
    const moved = { user_id: 0, kind: 'response', purpose: '', bytes: 0, body: '' };
    expect(rows).toMatchObject([
      { ...moved, name: 'a', channel_id: 3, key_id: 'k', expires_at: 1_802_592_000 },
      { ...moved, name: 'b', channel_id: 4, key_id: '', expires_at: 1_802_592_001 },
    ]);
  });

  it('make one grant of each balance, equal to it, and none of an empty wallet', async () => {
    const store = await openBlank();
    const before = migrations.findIndex(({ name }) => name === '0054-grants');
    await migrate(store, { migrations: migrations.slice(0, before) });
    await sql`insert into accounts (balance, held) values (700, 20), (0, 0), (9, 9)`.execute(store.db);
    await migrate(store);
    const accounts = await sql<{ id: number; granted: number }>`
      select id, balance, held, granted, next_expiry, expired from accounts order by id`.execute(store.db);
    const undated = { next_expiry: 0, expired: 0 };
    expect(accounts.rows).toMatchObject([
      { balance: 700, held: 20, granted: 700, ...undated },
      { balance: 0, granted: 0 },
      { balance: 9, granted: 9 },
    ]);
    const grants = await store.db.selectFrom('grants').selectAll().orderBy('account_id').execute();
    const old = { source: 'balance', paid: 0, refundable: 0, expires_at: 0 };
    expect(grants).toMatchObject([
      { account_id: accounts.rows[0]!.id, amount: 700, remain: 700, ...old },
      { account_id: accounts.rows[2]!.id, amount: 9, remain: 9, ...old },
    ]);
  });

  it('are safe with two processes starting together', async () => {
    const store = await openBlank();
    const results = await Promise.all([migrateElsewhere(url()), migrateElsewhere(url())]);
    expect(results).toEqual([
      { code: 0, printed: '' },
      { code: 0, printed: '' },
    ]);
    const tables = await tablesIn(store);
    expect(tables.toSorted()).toEqual([...tableNames, 'migrations'].toSorted());
    const marks = await sql<{ name: string }>`select name from migrations`.execute(store.db);
    expect(marks.rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
  });

  it('are reported by name before they begin, where there was a schema before', async () => {
    const store = await openBlank();
    const reported: string[] = [];
    const list = migrations.slice(0, -2);
    const onChange = (name: string) => void reported.push(name);
    await migrate(store, { migrations: list, onChange });
    expect(reported).toEqual([]);
    await migrate(store, { onChange });
    expect(reported).toEqual(migrations.slice(-2).map(({ name }) => name));
    await migrate(store, { onChange });
    expect(reported).toHaveLength(2);
  });

  it('refuse a database that a newer version wrote', async () => {
    await open();
    const store = await openAgain();
    await sql`insert into migrations values ('9999-future', 1, 1)`.execute(store.db);
    await expect(migrate(store)).rejects.toThrow(SchemaTooNew);
    await sql`delete from migrations where name = '9999-future'`.execute(store.db);
  });

  it('go on behind a step that was done when its process died, and repeat a mistake at each start', async () => {
    const store = await open();
    let dies = true;
    const next: Migration = {
      name: '0002-test',
      steps(db, dialect) {
        const write = new SchemaWriter(db, dialect);
        const { words } = write;
        const columns = { id: words.integer, before: words.integer, spare: words.integer };
        return [
          write.table('extra', { columns }),
          write.renameColumn('extra', 'before', 'after'),
          write.dropColumn('extra', 'spare'),
        ].map((step) =>
          Object.assign(async () => {
            await step();
            if (dies) throw new Error('power cut');
          }, step),
        );
      },
    };
    const list = [...migrations, next];
    for (let start = 0; start < 3; start += 1)
      await migrate(store, { migrations: list }).catch(() => undefined);
    dies = false;
    await migrate(store, { migrations: list });
    expect((await sql`select id, after from extra`.execute(store.db)).rows).toEqual([]);
    const wrong: Migration = {
      name: '0003-wrong',
      steps: (db) => [() => sql`update extra set spare = 1`.execute(db)],
    };
    for (let start = 0; start < 3; start += 1)
      await expect(migrate(store, { migrations: [...list, wrong] })).rejects.toThrow(/spare/);
    await sql`drop table extra`.execute(store.db);
    await sql`delete from migrations where name in ('0002-test', '0003-wrong')`.execute(store.db);
  });

  it('are atomic: after a failure the next start completes them', async () => {
    const store = await open();
    let broken = true;
    const next: Migration = {
      name: '0002-test',
      steps(db, dialect) {
        const write = new SchemaWriter(db, dialect);
        return [
          write.table('extra', { columns: { id: write.words.integer, words: write.words.text(20) } }),
          async () => {
            if (broken) throw new Error('power cut');
          },
          write.index('extra', 'words', ['words']),
        ];
      },
    };
    const list = { migrations: [...migrations, next] };
    await expect(migrate(store, list)).rejects.toThrow('power cut');
    broken = false;
    await migrate(store, list);
    await sql`insert into extra (words) values ('a')`.execute(store.db);
    await expect(migrate(store, list)).resolves.toBeUndefined();
    await sql`drop table extra`.execute(store.db);
    await sql`delete from migrations where name = '0002-test'`.execute(store.db);
  });
});

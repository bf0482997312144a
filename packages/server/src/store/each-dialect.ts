import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { product } from '@tollgate/contract';
import { sql } from 'kysely';
import { afterAll, describe, inject } from 'vitest';
import type { DatabaseKind } from './dialects/types.ts';
import { madeTables } from './foreign-tables.ts';
import { layMigratedFile } from './migrated-file.ts';
import { migrations } from './migrations/index.ts';
import { openStore } from './open.ts';
import type { Store, StoreOptions } from './open.ts';

/** Test context of one database. */
export interface TestDatabase {
  kind: DatabaseKind;
  /** An empty, migrated store. Closes the stores opened before. */
  open: (options?: Partial<StoreOptions>) => Promise<Store>;
  /** A store on a database without any table. */
  openBlank: () => Promise<Store>;
  /** Another store on the same database, with all its data: a second process, or the same one after a restart. */
  openAgain: (options?: Partial<StoreOptions>) => Promise<Store>;
  /** The address of the database that `open` used last, for child processes. */
  url: () => string;
}

const names = { sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MySQL/MariaDB' } as const;

/** Asks the desk of testing/database-setup.ts for a new database; the server starts at the first call. */
export const freshServer = (kind: 'postgres' | 'mysql' | 'redis'): Promise<string> => ask(kind);

/** As `freshServer`, with the schema of this version: a copy of one that was migrated, which takes less than a migration. */
export const migratedServer = (kind: 'postgres' | 'mysql'): Promise<string> => ask(`${kind} migrated`);

async function ask(what: string): Promise<string> {
  const socket = connect(inject('testServers').port, '127.0.0.1');
  socket.write(`${what}\n`);
  const answer = JSON.parse(await text(socket)) as { url: string } | { error: string };
  if ('error' in answer) throw new Error(answer.error);
  return answer.url;
}

/** Reason why a server is unavailable in this run; undefined if it is available. */
export const missingServer = (kind: 'postgres' | 'mysql' | 'redis'): string | undefined =>
  inject('testServers').missing[kind];

/** Tags of database tests: those on MySQL/MariaDB run only in `npm run test:deep`. */
export const depthOf = (kind: DatabaseKind): { tags: string[] } => ({
  tags: kind === 'mysql' ? ['deep'] : [],
});

/** Tags of a test that does not only test its database: it is repeated on servers in `npm run test:deep`. */
export const repeatedOn = (kind: DatabaseKind): { tags: string[] } => ({
  tags: kind === 'sqlite' ? [] : ['deep'],
});

/**
 * Runs the same tests on SQLite (a file), PostgreSQL and MySQL/MariaDB. An unavailable database is reported as
 * skipped, by name and reason. Tests must not ask which one they run on: differences belong in the dialect.
 */
export const eachDialect = (what: string, define: (database: TestDatabase) => void): void =>
  each(['sqlite', 'postgres', 'mysql'], what, define);

/** Like `eachDialect`, for features of database servers only. */
export const eachServer = (what: string, define: (database: TestDatabase) => void): void =>
  each(['postgres', 'mysql'], what, define);

function each(kinds: readonly DatabaseKind[], what: string, define: (database: TestDatabase) => void): void {
  for (const kind of kinds) {
    const missing = kind === 'sqlite' ? undefined : missingServer(kind);
    const why = missing === undefined ? '' : ` (${missing})`;
    describe.skipIf(missing !== undefined)(`${what} on ${names[kind]}${why}`, depthOf(kind), () => {
      define(databaseOf(kind));
    });
  }
}

function databaseOf(kind: DatabaseKind): TestDatabase {
  const opened: Store[] = [];
  const directories: string[] = [];
  let address = '';
  /** True if the database at `address` already has all tables. */
  let isMigrated = false;

  const closeAll = async (): Promise<void> => {
    for (const store of opened.splice(0)) await store.close();
  };
  const newFile = async (): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), `${product.id}-sqlite-`));
    directories.push(directory);
    return join(directory, 'test.db');
  };
  const migratedAddress = async (): Promise<string> => {
    if (kind !== 'sqlite') return migratedServer(kind);
    const file = await newFile();
    await layMigratedFile(file);
    return `sqlite:${file}`;
  };
  const openAgain = async (options: Partial<StoreOptions> = {}): Promise<Store> => {
    const store = await openStore({ url: address, ...options });
    opened.push(store);
    return store;
  };

  afterAll(async () => {
    await closeAll();
    for (const directory of directories) await rm(directory, { recursive: true, force: true });
  });

  return {
    kind,
    openAgain,
    url: () => address,
    async openBlank() {
      await closeAll();
      isMigrated = false;
      address = kind === 'sqlite' ? `sqlite:${await newFile()}` : await freshServer(kind);
      return openAgain();
    },
    async open(options) {
      await closeAll();
      // A new file costs almost nothing; on a server, the existing tables are emptied instead.
      const reuse = kind !== 'sqlite' && isMigrated;
      if (!reuse) address = await migratedAddress();
      isMigrated = true;
      const store = await openAgain(options);
      if (reuse) await empty(store);
      return store;
    },
  };
}

/** TRUNCATE of tables with rows, which the triggers of append-only tables allow. */
async function empty(store: Store): Promise<void> {
  // One statement asks all tables: a test begins with this.
  const dropped = migrations.flatMap((each) =>
    each.steps(store.db, store.dialect).flatMap(({ drops }) => drops ?? []),
  );
  const kept = [...madeTables(store, migrations)].filter((name) => !dropped.includes(name));
  const filled = kept.map(
    (name) =>
      sql`select ${sql.lit(name)} as name from (select 1 as one) as row_of where exists (select 1 from ${sql.table(name)})`,
  );
  const { rows } = await sql<{ name: string }>`${sql.join(filled, sql` union all `)}`.execute(store.db);
  for (const { name } of rows) await sql`truncate table ${sql.table(name)}`.execute(store.db);
}

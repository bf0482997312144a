import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, describe, inject } from 'vitest';
import type { DatabaseKind } from './dialects/types.ts';
import { migrate } from './migrate.ts';
import { openStore } from './open.ts';
import type { Store, StoreOptions } from './open.ts';

/** What a test gets of the database it runs on. */
export interface TestDatabase {
  kind: DatabaseKind;
  /** An empty, migrated store. Closes the stores opened before. */
  open: (options?: Partial<StoreOptions>) => Promise<Store>;
  /** A store on a database without any table. */
  openBlank: () => Promise<Store>;
  /** Another store on the same database, with all that is in it: a second process, or the same one after a restart. */
  openAgain: (options?: Partial<StoreOptions>) => Promise<Store>;
  /** The address of the database that `open` used last, for child processes. */
  url: () => string;
}

const names = { sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MySQL/MariaDB' } as const;

/** Asks the desk of testing/database-setup.ts for a new database; the server starts at the first call. */
export async function freshServer(kind: 'postgres' | 'mysql' | 'redis'): Promise<string> {
  const socket = connect(inject('testServers').port, '127.0.0.1');
  socket.write(`${kind}\n`);
  const answer = JSON.parse(await text(socket)) as { url: string } | { error: string };
  if ('error' in answer) throw new Error(answer.error);
  return answer.url;
}

/** Why a server cannot be had in this run; undefined when it can. */
export const missingServer = (kind: 'postgres' | 'mysql' | 'redis'): string | undefined =>
  inject('testServers').missing[kind];

/**
 * Runs the same tests on SQLite (a file), PostgreSQL and MySQL/MariaDB. A database that cannot be had is reported as
 * skipped, by name and reason. Tests must not ask which one they run on: differences belong in the dialect.
 */
export function eachDialect(what: string, define: (database: TestDatabase) => void): void {
  for (const kind of ['sqlite', 'postgres', 'mysql'] as const) {
    const missing = kind === 'sqlite' ? undefined : missingServer(kind);
    const why = missing === undefined ? '' : ` (${missing})`;
    describe.skipIf(missing !== undefined)(`${what} on ${names[kind]}${why}`, () => {
      define(databaseOf(kind));
    });
  }
}

function databaseOf(kind: DatabaseKind): TestDatabase {
  const opened: Store[] = [];
  const directories: string[] = [];
  let address = '';

  const closeAll = async (): Promise<void> => {
    for (const store of opened.splice(0)) await store.close();
  };
  const freshAddress = async (): Promise<string> => {
    if (kind !== 'sqlite') return freshServer(kind);
    const directory = await mkdtemp(join(tmpdir(), 'tollgate-sqlite-'));
    directories.push(directory);
    return `sqlite:${join(directory, 'test.db')}`;
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
      address = await freshAddress();
      return openAgain();
    },
    async open(options) {
      await closeAll();
      // A new file costs nothing; on a server, the tables made once are emptied instead.
      const reuse = kind !== 'sqlite' && address !== '';
      if (!reuse) address = await freshAddress();
      const store = await openAgain(options);
      if (reuse) await empty(store);
      else await migrate(store);
      return store;
    },
  };
}

/** TRUNCATE, which the triggers of append-only tables let pass. */
async function empty(store: Store): Promise<void> {
  for (const { name } of await store.db.introspection.getTables()) {
    if (name === 'migrations') continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(store.db);
    if (rows.length === 0) continue;
    await sql`truncate table ${sql.table(name)}`.execute(store.db);
  }
}

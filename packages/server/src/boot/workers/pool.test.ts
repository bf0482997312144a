import cluster from 'node:cluster';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCache } from '../../cache/index.ts';
import { systemSleep } from '../../lib/clock.ts';
import { recordingLog } from '../../services/money/ledger/testing/test-bed.ts';
import { WorkerPool } from './pool.ts';

const pidsOf = (): number[] =>
  Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);

describe('a pool of workers of which one is frozen', () => {
  const ended: string[] = [];
  let pool: WorkerPool;
  beforeEach(async () => {
    const exec = join(import.meta.dirname, '../../testing/linked/idle-worker.ts');
    cluster.setupPrimary({ exec, serialization: 'advanced', execArgv: [], silent: true });
    const cache = await openCache({ redisUrl: '', clock: Date.now, onError: () => undefined });
    pool = new WorkerPool({
      count: 2,
      ordersOf: (index) => ({ index, node: `w${index}`, socket: undefined, socketPath: '', databasePool: 1 }),
      cache,
      store: {},
      ledger: {
        async recoverDead(node) {
          ended.push(node);
          return { settled: 0, released: 0, charged: 0 };
        },
      },
      log: recordingLog(),
      sleep: systemSleep,
      onNone: () => undefined,
      stopWithinMs: 300,
    });
    await pool.start();
  }, 60_000);
  afterEach(() => {
    for (const pid of pidsOf()) process.kill(pid, 'SIGKILL');
  });

  it('answers the figures of the others, and ends: the frozen one is killed, and its holds are ended', async () => {
    expect(await pool.figures()).toHaveLength(2);
    const [frozen, other] = pidsOf();
    process.kill(frozen!, 'SIGSTOP');
    expect(await pool.figures()).toEqual([other]);
    const onWaiting = vi.fn<(calls: number) => void>();
    await pool.stop(onWaiting);
    expect(onWaiting).toHaveBeenCalledOnce();
    expect(pidsOf()).toEqual([]);
    expect(ended).toHaveLength(1);
  }, 60_000);
});

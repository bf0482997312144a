import { openCache } from '../../cache/index.ts';
import { isWorkerName } from '../../boot/workers/orders.ts';
import { systemClock, type Sleep } from '../../lib/clock.ts';
import { heartbeats, type Store } from '../../store/index.ts';
import { type Line, note, ok, errorMessage, wrong } from './line.ts';

/** Each running process writes a heartbeat every second; in this time each has written one, in ms. */
const heartbeatWaitMs = 2_500;

/** Number of processes on the database, and whether they share their counters. */
export async function checkProcesses(store: Store, redisUrl: string, sleep: Sleep): Promise<Line[]> {
  if (redisUrl !== '') return [await checkRedis(redisUrl)];
  // A process on SQLite writes no heartbeat: it is the only one.
  if (store.sqlite) return [];
  const before = await heartbeats.all(store.db);
  await sleep(heartbeatWaitMs);
  const after = await heartbeats.all(store.db);
  // Workers use the counters of the first process of their machine.
  const living = [...after].filter(
    ([node, count]) => !isWorkerName(node) && before.get(node) !== count,
  ).length;
  if (living < 2) return [];
  return [
    note(
      `${living} processes use this database and none of them Redis (REDIS_CONN_STRING): each counts requests by address ` +
        `and by user for itself, so up to ${living} times as many pass. Money does not depend on it.`,
    ),
  ];
}

async function checkRedis(redisUrl: string): Promise<Line> {
  let failure: unknown;
  const cache = await openCache({ redisUrl, clock: systemClock, onError: (error) => (failure ??= error) });
  try {
    await cache.hit('doctor', 1);
    return failure === undefined
      ? ok('Redis answers: all processes of the site count requests together')
      : wrong(`Redis does not answer, so each process counts requests for itself: ${errorMessage(failure)}`);
  } finally {
    await cache.close();
  }
}

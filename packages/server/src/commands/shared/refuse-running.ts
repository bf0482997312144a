import { systemSleep } from '../../lib/clock.ts';
import { heartbeats, type Store } from '../../store/index.ts';

/** Each running process writes a heartbeat every second; in this time each has written one, in ms. */
const heartbeatWaitMs = 2_500;

/**
 * Throws, with their names, while processes run on the same database server. A SQLite file shows that itself
 * (`closeSqliteFile`).
 */
export async function refuseRunning({ db, sqlite }: Store): Promise<void> {
  if (sqlite) return;
  const before = await heartbeats.all(db);
  await systemSleep(heartbeatWaitMs);
  const after = await heartbeats.all(db);
  const living = [...after].filter(([node, count]) => before.get(node) !== count).map(([node]) => node);
  if (living.length > 0) throw new Error(`stop all processes first: ${living.join(', ')}`);
}

import { type Clock, type Sleep, systemSleep } from '../../../../lib/clock.ts';
import { type Db, leases, type LogArchive, archiveMarks } from '../../../../store/index.ts';
import { leaseMs, leaseName } from './mover.ts';

/** Longest time for copying two databases; if the process dies, rows wait this long in the main database, in ms. */
const holdMs = 3_600_000;
const pauseMs = 500;

export interface HoldDeps {
  db: Db;
  archive: LogArchive;
  clock: Clock;
  sleep?: Sleep;
}

/**
 * Runs `work` while no rows of the log move, so that the cut and the state of the archive do not change. Waits for a
 * running round; throws if it does not end.
 */
export async function whileNoneMove<T>(
  { db, archive, clock, sleep = systemSleep }: HoldDeps,
  work: () => Promise<T>,
): Promise<T> {
  const giveUpAt = clock() + leaseMs + holdMs / 60;
  let until = 0;
  for (let now = clock(); until === 0; now = clock()) {
    if (await leases.take(db, leaseName, now, now + holdMs)) until = now + holdMs;
    else if (now > giveUpAt) throw new Error('another process holds the rows of the log for an hour at most');
    else await sleep(pauseMs);
  }
  try {
    // A process that was frozen during a round can no longer write to the archive.
    if (await archiveMarks.hasCut(db)) await archiveMarks.beginEpoch(archive.db);
    return await work();
  } finally {
    await leases.release(db, leaseName, until);
  }
}

/** Removes the data of `whileNoneMove` from a copy of a main database. */
export const forgetHold = (copy: Db): Promise<void> => leases.drop(copy, leaseName);

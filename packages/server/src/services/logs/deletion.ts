import { performance } from 'node:perf_hooks';
import { type Sleep, systemSleep } from '../../lib/clock.ts';
import { type Db, logs as logRows } from '../../store/index.ts';

/** Rows of one step: so few that a settlement that waits for its end does not notice. */
const stepRows = 200;
/** Of its time, deletion takes a fifth: so many times as long as a step took, it waits. */
const pauseFactor = 4;
/** More than this share of the event loop's time makes deletion wait, in pauses of so many ms, but not for ever. */
const busyShare = 0.7;
const busyPauseMs = 250;
const busyPauses = 40;

export interface DeletionDeps {
  db: Db;
  sleep?: Sleep;
  /** The share of the event loop's time that was used since it was asked last. */
  loopShare?: () => number;
}

export interface Deletion {
  /** Unix seconds: older rows are deleted, the oldest first. */
  before: number;
  /** At most about so many rows. */
  rows?: number;
  /** For so many ms at most. */
  forMs?: number;
}

/**
 * Deletes rows of the log in steps, and answers how many. Steps are small, wait as long as they took again and again, and
 * wait for a busy process, so that calls and their settlements go on beside them.
 */
export async function deleteRows(
  { db, sleep = systemSleep, loopShare = createLoopShare() }: DeletionDeps,
  { before, rows = Infinity, forMs = Infinity }: Deletion,
): Promise<number> {
  const startedAt = performance.now();
  for (let deleted = 0; ;) {
    const stepAt = performance.now();
    const limit = Math.min(stepRows, rows - deleted);
    const found = limit <= 0 ? 0 : await logRows.deleteSome(db, before, limit);
    deleted += found;
    if (found < limit || deleted >= rows || performance.now() - startedAt > forMs) return deleted;
    await sleep((performance.now() - stepAt) * pauseFactor);
    for (let pauses = 0; pauses < busyPauses && loopShare() > busyShare; pauses += 1)
      await sleep(busyPauseMs);
  }
}

function createLoopShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

import { performance } from 'node:perf_hooks';
import { type Sleep, systemSleep } from '../../../lib/clock.ts';
import { type Db, logs as logRows } from '../../../store/index.ts';

/** Rows of one step: so few that a settlement waiting for it is not noticeably delayed. */
const stepRows = 200;
/** Deletion uses a fifth of the time: after each step it sleeps this multiple of the step's duration. */
const pauseFactor = 4;
/** If the event loop is busier than this, deletion waits, in pauses of this many ms, with a limit. */
const busyShare = 0.7;
const busyPauseMs = 250;
const busyPauses = 40;

export interface DeletionDeps {
  db: Db;
  sleep?: Sleep;
  /** The utilisation of the event loop since the last call. */
  loopShare?: () => number;
}

export interface Deletion {
  /** Unix seconds: older rows are deleted, the oldest first. */
  before: number;
  /** Maximum number of rows to delete, approximately. */
  rows?: number;
  /** Maximum run time in ms. */
  forMs?: number;
}

/**
 * Deletes rows of the log, and returns their number: whole months at once if the database supports that, the others in
 * steps. Steps are small, followed by pauses, and wait while the process is busy, so that calls and settlements are not
 * delayed.
 */
export async function deleteRows(
  { db, sleep = systemSleep, loopShare = createLoopShare() }: DeletionDeps,
  { before, rows = Infinity, forMs = Infinity }: Deletion,
): Promise<number> {
  const startedAt = performance.now();
  let from = 0;
  for (let deleted = await logRows.dropMonths(db, before); ;) {
    const stepAt = performance.now();
    const limit = Math.min(stepRows, rows - deleted);
    if (limit <= 0) return deleted;
    const found = await logRows.deleteSome(db, { from, before }, limit);
    deleted += found.rows;
    // A row may be written late, behind the last step: deletion ends only when no older row is left.
    const isEnd = found.rows < limit && from === 0;
    if (isEnd || deleted >= rows || performance.now() - startedAt > forMs) return deleted;
    from = found.rows < limit ? 0 : found.last;
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

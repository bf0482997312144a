import type { MakeJob } from './parts.ts';

/** One run ends after so long, the next goes on: an old log takes a few minutes. */
const runMs = 30_000;

/** Sums up the hours of the log that are over, and anew those in which something changed. */
export const sumLogHours: MakeJob<'logHours'> = ({ logHours }) => ({
  name: 'sum-log-hours',
  everyMs: 30_000,
  async run() {
    await logHours.work(runMs);
  },
});

/** One round ends after so long, the next goes on: an old log takes many. */
const roundMs = 15_000;

/** Moves rows of the log to the database that LOG_SQL_DSN names. */
export const moveLogs: MakeJob<'logMover'> = ({ logMover }) =>
  logMover && {
    name: 'move-logs',
    everyMs: 5_000,
    run: () => logMover.work(roundMs),
  };

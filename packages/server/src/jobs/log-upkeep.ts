import type { MakeJob } from './parts.ts';

/** Longest run; the next one continues, because an old log takes a few minutes. */
const runMs = 30_000;

/** Sums the completed hours of the log, and recomputes those with changes. */
export const sumLogHours: MakeJob<'logHours'> = ({ logHours }) => ({
  name: 'sum-log-hours',
  everyMs: 30_000,
  async run() {
    await logHours.work(runMs);
  },
});

/** Longest round; the next one continues, because an old log takes many. */
const roundMs = 15_000;

/** Moves rows of the log to the database of LOG_SQL_DSN. */
export const moveLogs: MakeJob<'logMover'> = ({ logMover }) =>
  logMover && {
    name: 'move-logs',
    everyMs: 5_000,
    run: () => logMover.work(roundMs),
  };

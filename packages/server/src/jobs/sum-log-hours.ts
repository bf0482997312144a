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

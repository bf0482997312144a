import type { MakeJob } from './parts.ts';

/** Writes summary rows of failed calls at the end of their minute. */
export const sweepFailures: MakeJob<'failures'> = ({ failures }) => ({
  name: 'sweep-failures',
  everyMs: 60_000,
  async run() {
    failures.sweep();
  },
});

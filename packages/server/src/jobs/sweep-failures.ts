import type { FailureLog } from '../services/logs/index.ts';
import type { Job } from './runner.ts';

/** Writes rows of failed calls that wait for the end of their minute. */
export const sweepFailures = (failures: Pick<FailureLog, 'sweep'>): Job => ({
  name: 'sweep-failures',
  everyMs: 60_000,
  async run() {
    failures.sweep();
  },
});

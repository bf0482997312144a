import type { MakeJob } from './parts.ts';

/** Longest run, so that a shutdown need not wait for millions of charges. */
const runMs = 2_000;

/** Runs the corrections of past charges, and their undoing, that were requested. */
export const rerateCharges: MakeJob<'reratings' | 'clock'> = ({ reratings, clock }) => ({
  name: 'rerate-charges',
  everyMs: 1_000,
  run() {
    const until = clock() + runMs;
    return reratings.work(() => clock() < until);
  },
});

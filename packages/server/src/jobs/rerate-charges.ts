import type { MakeJob } from './parts.ts';

/** A run ends after so long, so that a shutdown need not wait for millions of charges. */
const runMs = 2_000;

/** Corrects past charges, or puts them back, where somebody asked for it. */
export const rerateCharges: MakeJob<'reratings' | 'clock'> = ({ reratings, clock }) => ({
  name: 'rerate-charges',
  everyMs: 1_000,
  run() {
    const until = clock() + runMs;
    return reratings.work(() => clock() < until);
  },
});

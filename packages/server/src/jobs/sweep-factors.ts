import type { MakeJob } from './parts.ts';

/** Deletes second steps that nobody took, and questions that no passkey answered. */
export const sweepFactors: MakeJob<'factors'> = ({ factors }) => ({
  name: 'sweep-factors',
  everyMs: 60 * 60_000,
  async run() {
    await factors.sweep();
  },
});

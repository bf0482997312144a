import type { MakeJob } from './parts.ts';

/** Deletes sign-ins through other sites that nobody ended. */
export const sweepRounds: MakeJob<'rounds'> = ({ rounds }) => ({
  name: 'sweep-rounds',
  everyMs: 60 * 60_000,
  async run() {
    await rounds.sweep();
  },
});

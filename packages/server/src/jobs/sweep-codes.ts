import type { MakeJob } from './parts.ts';

/** Deletes codes by mail that have expired. */
export const sweepCodes: MakeJob<'codes'> = ({ codes }) => ({
  name: 'sweep-codes',
  everyMs: 60 * 60_000,
  async run() {
    await codes.sweep();
  },
});

import type { MakeJob } from './parts.ts';

/** Deletes stored calls (Idempotency-Key) older than a day or above the limits. */
export const forgetOldCalls: MakeJob<'keyedCalls'> = ({ keyedCalls }) => ({
  name: 'forget-old-calls',
  everyMs: 10 * 60_000,
  run: () => keyedCalls.sweep(),
});

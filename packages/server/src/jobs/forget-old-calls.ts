import type { MakeJob } from './parts.ts';

/** Forgets named calls (Idempotency-Key) that are older than a day or beyond the bounds. */
export const forgetOldCalls: MakeJob<'keyedCalls'> = ({ keyedCalls }) => ({
  name: 'forget-old-calls',
  everyMs: 10 * 60_000,
  run: () => keyedCalls.sweep(),
});

import type { Job } from './runner.ts';

/** Forgets named calls (Idempotency-Key) that are old or too many. */
export const forgetOldCalls = (forget: () => Promise<void>): Job => ({
  name: 'forget-old-calls',
  everyMs: 10 * 60_000,
  run: forget,
});

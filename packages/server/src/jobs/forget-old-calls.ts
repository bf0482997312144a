import type { MakeJob } from './parts.ts';

/** Deletes stored calls (Idempotency-Key) older than a day or above the limits, and notes of stored responses. */
export const forgetOldCalls: MakeJob<'keyedCalls' | 'storedResponses'> = ({
  keyedCalls,
  storedResponses,
}) => ({
  name: 'forget-old-calls',
  everyMs: 10 * 60_000,
  async run() {
    await keyedCalls.sweep();
    await storedResponses.sweep();
  },
});

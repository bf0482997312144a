import type { LocalAnswer } from '../types/index.ts';

/** An answer that was received before the call was sent: the last of several requests that make up one call. */
export const finishedAnswer = (body: Buffer, status = 200): LocalAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  headDelayMs: 0,
  chunks: [{ delayMs: 0, bytes: body }],
  ending: 'end',
});

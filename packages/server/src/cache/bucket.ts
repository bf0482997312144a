import type { Bucket } from './port.ts';

/** A clock this far behind the last one was set back; a smaller difference is one between two machines. */
export const steppedBackMs = 60_000;

/** The content of a bucket, and its time (Unix ms). */
export interface Filled {
  left: number;
  at: number;
}

/**
 * A bucket at a later moment, before anything is taken out of it. A clock that is behind neither adds nor removes.
 */
export function refilled(before: Filled | undefined, { capacity, refillMs }: Bucket, now: number): Filled {
  const last = before ?? { left: capacity, at: now };
  const at = last.at > now + steppedBackMs ? now : Math.max(last.at, now);
  const elapsed = Math.max(0, now - last.at);
  return { left: Math.min(capacity, last.left + (elapsed / refillMs) * capacity), at };
}

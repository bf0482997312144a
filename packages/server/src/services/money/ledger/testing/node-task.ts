import type { Person } from './test-bed.ts';

/** The task of a process of `node-child.ts`. */
export interface NodeTask {
  url: string;
  /** Its name among the others, and its number of starts. */
  node: string;
  life: number;
  /** Simultaneous calls. */
  workers: number;
  people: readonly Person[];
  /** A faster clock than that of the machine, the same in all processes, so that windows of budgets end often. */
  clock?: FastClock;
}

/** `from` is Unix ms, `rate` its speed since then. */
interface FastClock {
  from: number;
  rate: number;
}

/**
 * Speed-up of the clock that measures heartbeats: ten seconds take two and a half, and a heartbeat each second is
 * still often enough.
 */
export const clockSpeed = 4;
/** A transaction of a frozen process frees its locks after this. */
export const idleTransactionMs = 1_000;

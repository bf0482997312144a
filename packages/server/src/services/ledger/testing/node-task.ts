import type { Person } from './test-bed.ts';

/** What a process of `node-child.ts` is to do. */
export interface NodeTask {
  url: string;
  /** Its name among the others, and which of its lives this is. */
  node: string;
  life: number;
  /** Calls at once. */
  workers: number;
  people: readonly Person[];
}

/**
 * How much faster than the true clock the processes measure each other's silence: ten seconds are over in two and a half,
 * and a sign of life each second is still often enough.
 */
export const faster = 4;
/** A transaction of a frozen process frees its locks after this. */
export const idleTransactionMs = 1_000;

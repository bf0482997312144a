import type { ReaderAddress } from '../../../store/index.ts';
import type { Plan } from './rehearse.ts';
import type { Totals } from './totals.ts';

/** The input of the thread. */
export interface ThreadWork {
  address: ReaderAddress;
  plan: Plan;
}

/** The messages of the thread. */
export type FromThread = { done: number } | { totals: Totals } | { failed: string };

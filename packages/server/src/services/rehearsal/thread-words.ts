import type { ReaderAddress } from '../../store/index.ts';
import type { Plan } from './rehearse.ts';
import type { Totals } from './totals.ts';

/** What the thread is given. */
export interface ThreadWork {
  address: ReaderAddress;
  plan: Plan;
}

/** What the thread says. */
export type FromThread = { done: number } | { totals: Totals } | { failed: string };

import type { Plan } from './rehearse.ts';
import type { Totals } from './totals.ts';

/** What the thread is given. */
export interface ThreadWork {
  address: { url: string; dataDir: string };
  plan: Plan;
}

/** What the thread says. */
export type FromThread = { done: number } | { totals: Totals } | { failed: string };

import type { Ledger } from '../ledger.ts';
import type { Reservation } from '../plan/types.ts';
import { holdRequest, type Person } from './test-bed.ts';

/** A hold of 900 that the worker grants by itself and has not sent yet. */
export function earlyHold(worker: Ledger, person: Person, id: string): Reservation {
  const held = worker.reserve({ ...holdRequest(person, id, 900), deferrable: true });
  if (held instanceof Promise) throw new Error('the worker asked for this hold');
  return held;
}

type Reach = (worker: Ledger, id: string, hold: Reservation) => Promise<void>;

const asRow: Reach = async (worker, id, { durable }) => {
  worker.endDeferral(id);
  await durable;
};

/** How far such a hold is when something happens to its payer; each entry waits for the state that it names. */
export const moments: Record<string, Reach> = {
  'before the first process has heard of the hold': async () => undefined,
  'while the hold travels': async (worker, id) => worker.endDeferral(id),
  'once the hold is a row': asRow,
  async 'after a mark'(worker, id, hold) {
    void worker.mark(id, 50);
    await asRow(worker, id, hold);
  },
};

import type { Payments } from '../services/payments/index.ts';
import type { Job } from './runner.ts';

/** Asks the payment provider for orders whose callback never came. */
export const askPendingOrders = (payments: Pick<Payments, 'askPending'>): Job => ({
  name: 'ask-pending-orders',
  everyMs: 60_000,
  run: () => payments.askPending(),
});

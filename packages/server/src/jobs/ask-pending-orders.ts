import type { MakeJob } from './parts.ts';

/** Queries the payment provider for orders whose callback never came. */
export const askPendingOrders: MakeJob<'payments'> = ({ payments }) => ({
  name: 'ask-pending-orders',
  everyMs: 60_000,
  run: () => payments.askPending(),
});

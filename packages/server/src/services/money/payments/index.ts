export { createPayments } from './payments.ts';
export type { Buyer, Payments } from './types.ts';

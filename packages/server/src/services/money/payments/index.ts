export { createPayments } from './payments.ts';
export { createPlans } from './plans.ts';
export type { Plans } from './plans.ts';
export type { Buyer, Payments } from './types.ts';

export { createAutoTopUps } from './auto-top-up.ts';
export type { AutoTopUps } from './auto-top-up.ts';
export { createPayments } from './payments.ts';
export { createPlans } from './plans.ts';
export type { Plans } from './plans.ts';
export type { Buyer, Payments } from './types.ts';

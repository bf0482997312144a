export type { RedeemLedger } from './redeem.ts';
export { createPayments, type PaymentsDeps } from './payments.ts';
export type { TopUpLedger } from './credit.ts';
export type { Buyer, Credit, Payments, StartedPayment } from './types.ts';

export { bookingOf, callerFacts } from './booking.ts';
export { settle } from './settle.ts';
export type { SettleDeps } from './settle-deps.ts';

export { bookingOf, callerFacts } from './booking.ts';
export { settle } from './settle.ts';

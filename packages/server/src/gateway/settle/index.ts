export { bookingOf } from './booking.ts';
export { settle } from './settle.ts';

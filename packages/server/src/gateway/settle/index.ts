export { bookingOf, callerFacts, settle } from './settle.ts';

export { book, bookingOf, noteMade, servedFacts, settle, withSessions } from './settle.ts';
export type { Served } from './settle.ts';

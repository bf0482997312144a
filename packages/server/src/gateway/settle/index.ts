export { book, bookingOf, servedFacts, settle } from './settle.ts';
export type { Served } from './settle.ts';

// The only door of rehearsals: what charges of the past would have been at other prices.
export { createRehearsals, type Rehearsals } from './service.ts';

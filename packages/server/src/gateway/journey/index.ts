export { Journey, settlementFailed } from './journey.ts';
export type { Outcome } from './outcome.ts';

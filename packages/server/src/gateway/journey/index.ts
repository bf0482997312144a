export { Journey, type Outcome, settlementFailed } from './journey.ts';

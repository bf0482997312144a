export { holdRefused, Journey, type Outcome, settlementFailed } from './journey.ts';

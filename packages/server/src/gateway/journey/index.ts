export { Journey, settlementFailed } from './journey.ts';

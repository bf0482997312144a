export type { JourneyDeps } from './journey-deps.ts';
export { Journey, settlementFailed } from './journey.ts';

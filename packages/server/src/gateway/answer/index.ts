export { Attempt, type AttemptResult } from './attempt.ts';

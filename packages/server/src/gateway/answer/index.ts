export { noAnswer } from './answer.ts';
export { Attempt, type AttemptResult } from './attempt.ts';

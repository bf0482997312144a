export { noAnswer } from './answer-end.ts';
export { Attempt, type AttemptResult } from './attempt.ts';

export { noAnswer, readRefusal, RefusalBody } from './answer.ts';
export { Attempt, type AttemptResult } from './attempt.ts';

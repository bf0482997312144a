export { noAnswer } from './answer-end.ts';
export { Attempt } from './attempt.ts';
export type { AttemptResult } from './attempt-options.ts';

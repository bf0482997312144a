import { type AnswerEnd, type AnswerPipe, type RelayError, refuse } from '../../relay/types/index.ts';
import { unanswered } from '../upstream/index.ts';

/** The upstream could not be reached or broke before its head (docs/compatibility.md#relay-errors). */
export const unreachable = (cause: unknown): RelayError => unanswered('upstream_unreachable', cause);

/** The upstream ended its answer before it was complete. */
export const brokenOff = (): RelayError => refuse('answer_broken_off');

/** The fields of an end that was not delivered. */
export const notDelivered = { outcome: 'truncated', tail: undefined } as const;

/** The end of an answer of which nothing arrived. */
export const noAnswer: AnswerEnd = { ...notDelivered, usage: undefined, error: undefined };

/** A complete answer without content, finish reason and usage becomes an error. */
export function emptyAsError(pipe: Pick<AnswerPipe, 'isEmpty'>, end: AnswerEnd): AnswerEnd {
  if (end.outcome !== 'complete' || end.usage || !pipe.isEmpty) return end;
  return { ...end, outcome: 'error', tail: undefined, error: refuse('answer_without_content') };
}

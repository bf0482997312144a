import { type AnswerEnd, type AnswerPipe, type RelayError, refuse } from '../../relay/types/index.ts';
import { unanswered } from '../upstream/index.ts';

/** The upstream could not be reached or broke before its head (docs/compatibility.md#relay-errors). */
export const unreachable = (cause: unknown): RelayError => unanswered('upstream_unreachable', cause);

/** The upstream ended its answer before it was whole. */
export const brokenOff = (): RelayError => refuse('answer_broken_off');

/** What makes an end one that was not delivered. */
export const notDelivered = { outcome: 'truncated', tail: undefined } as const;

/** The end of an answer of which nothing came. */
export const noAnswer: AnswerEnd = { ...notDelivered, usage: undefined, error: undefined };

/** An answer that came whole and told nothing, no content, no finish reason and no usage, is none. */
export function judged(pipe: Pick<AnswerPipe, 'isEmpty'>, end: AnswerEnd): AnswerEnd {
  if (end.outcome !== 'complete' || end.usage || !pipe.isEmpty) return end;
  return { ...end, outcome: 'error', tail: undefined, error: refuse('answer_without_content') };
}

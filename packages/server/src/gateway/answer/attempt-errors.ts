import { type RelayError, refuse } from '../../relay/types/index.ts';
import { unanswered } from '../upstream/index.ts';

/** The upstream could not be reached or broke before its head (docs/compatibility.md#relay-errors). */
export const unreachable = (cause: unknown): RelayError => unanswered('upstream_unreachable', cause);

/** The upstream ended its answer properly and there was nothing in it: no content, no finish reason, no usage. */
export const emptyAnswer = (): RelayError => refuse('answer_without_content');

/** The upstream ended its answer before it was whole. */
export const brokenOff = (): RelayError => refuse('answer_broken_off');

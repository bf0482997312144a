import { isPlausible, type ReportedUsage } from '@tollgate/contract';
import type { AnswerEnd, AnswerPipe } from '../../relay/types/index.ts';
import type { Admission, AttemptRecord, EndReason, RelayCall } from '../call/index.ts';
import type { Hold, Meter } from '../hold/index.ts';

/** How a call ended: all that its settlement charges, logs and sends. It does not change any more. */
export interface Outcome {
  readonly relayCall: RelayCall;
  readonly admission: Admission;
  readonly hold: Hold;
  /** What was delivered. */
  readonly meter: Meter;
  /** The channel that answered. */
  readonly channelId: number;
  readonly tries: readonly AttemptRecord[];
  /** The model's name at the vendor. */
  readonly upstreamModel: string;
  readonly reasoningEffort: string | undefined;
  /** Unix ms of the first byte of the answer; 0 if there was none. */
  readonly firstByteAt: number;
  /** The end of the answer as it was read, without impossible counts. */
  readonly end: AnswerEnd;
  /** Why the answer ended, from Tollgate's own reason and the bytes of the answer. */
  readonly reason: EndReason;
  /** Why Tollgate ended it; `complete` if it did not. */
  readonly ownReason: EndReason;
  /** What read the answer: it has text that is not counted yet. */
  readonly pipe: Pick<AnswerPipe, 'takeText' | 'isEmpty'> | undefined;
  /** Headers of an answer in one piece. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Why an answer ended, if Tollgate's own reason is `own`. */
export function endReasonOf(own: EndReason, end: AnswerEnd): EndReason {
  if (own !== 'complete' || end.outcome === 'complete') return own;
  return end.outcome === 'error' ? 'upstream_error' : 'upstream_broken';
}

/** The end of the answer without impossible usage values. */
export function plausible(end: AnswerEnd): AnswerEnd {
  const reported = [end.usage, end.inputUsage];
  if (reported.every((usage) => !usage || isPlausible(usage))) return end;
  return { ...end, usage: orNothing(end.usage), inputUsage: orNothing(end.inputUsage) };
}

const orNothing = (usage: ReportedUsage | undefined): ReportedUsage | undefined =>
  usage && isPlausible(usage) ? usage : undefined;

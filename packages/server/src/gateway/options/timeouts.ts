import type { JourneyDeps } from '../journey/index.ts';

/** Without a limit of the operator's own, an answer in one piece may take this long. */
const wholeAnswerMs = 600_000;

/** Models that think long before they answer (docs/compatibility.md#steps-of-a-chat-call) may be silent twice as long. */
const isReasoningModel = (model: string): boolean => /^o\d/.test(model);

/**
 * How long an upstream may be silent, and how long a call may take.
 *
 * @param silenceSeconds - Silence allowed within a stream (STREAMING_TIMEOUT)
 * @param deadlineSeconds - End of a whole call; 0 for none (RELAY_TIMEOUT)
 */
export function upstreamTimeouts(silenceSeconds: number, deadlineSeconds: number): JourneyDeps['timeouts'] {
  const silenceMs = silenceSeconds * 1000;
  const deadlineMs = deadlineSeconds * 1000;
  return (stream, model) => {
    const ms = stream ? silenceMs * (isReasoningModel(model) ? 2 : 1) : Math.max(deadlineMs, wholeAnswerMs);
    return { headersTimeoutMs: ms, bodyTimeoutMs: ms, deadlineMs };
  };
}

import type { GatewayDeps } from '../call/index.ts';

/** The timeout of an answer in one piece if the operator has set none. */
const wholeAnswerMs = 600_000;

/** Reasoning models (docs/compatibility.md#steps-of-a-chat-call) get twice the timeout. */
const isReasoningModel = (model: string): boolean => /^o\d/.test(model);

/**
 * How long an upstream may be silent, and how long a call may take.
 *
 * @param silenceSeconds - Silence allowed within a stream (STREAMING_TIMEOUT)
 * @param deadlineSeconds - End of a whole call; 0 for none (RELAY_TIMEOUT)
 */
export function upstreamTimeouts(silenceSeconds: number, deadlineSeconds: number): GatewayDeps['timeouts'] {
  const silenceMs = silenceSeconds * 1000;
  const deadlineMs = deadlineSeconds * 1000;
  return (stream, model) => {
    const ms = stream ? silenceMs * (isReasoningModel(model) ? 2 : 1) : Math.max(deadlineMs, wholeAnswerMs);
    return { headersTimeoutMs: ms, bodyTimeoutMs: ms, deadlineMs };
  };
}

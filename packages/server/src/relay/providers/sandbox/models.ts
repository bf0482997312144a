import type { JsonObject } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';

/** How a sandbox model behaves; its name chooses. */
export interface Behaviour {
  /** Silence before the head. */
  headDelayMs: number;
  /** Pause before each piece of a stream. */
  pieceDelayMs: number;
  /** Refuses with this status. */
  failStatus?: 429 | 500;
  /** Ends in the middle: breaks off, or falls silent for ever. */
  breaks?: 'cut' | 'stall';
  /** Reports no usage. */
  silentUsage?: boolean;
  /** Thinks aloud before it answers. */
  thinks?: boolean;
}

const usual: Behaviour = { headDelayMs: 20, pieceDelayMs: 10 };

/** Every name of the sandbox and what it does. */
export const sandboxModels: Readonly<Record<string, Behaviour>> = {
  sandbox: usual,
  /** Without any pause, for measurements. */
  'sandbox-fast': { headDelayMs: 0, pieceDelayMs: 0 },
  'sandbox-slow': { headDelayMs: 1_000, pieceDelayMs: 500 },
  'sandbox-fail-429': { ...usual, failStatus: 429 },
  'sandbox-fail-500': { ...usual, failStatus: 500 },
  'sandbox-cut': { ...usual, breaks: 'cut' },
  'sandbox-stall': { ...usual, breaks: 'stall' },
  'sandbox-no-usage': { ...usual, silentUsage: true },
  'sandbox-think': { ...usual, thinks: true },
  'sandbox-embedding': usual,
  'sandbox-moderation': usual,
  'sandbox-image': usual,
  'sandbox-speech': usual,
  'sandbox-transcription': usual,
  'sandbox-rerank': usual,
};

/** The behaviour of a name; a name mapped to the sandbox that it does not know behaves as usual. */
export const behaviourOf = (model: string): Behaviour =>
  Object.hasOwn(sandboxModels, model) ? sandboxModels[model]! : usual;

/** One JSON object after the head's delay. */
export const whole = (body: JsonObject, behaviour: Behaviour, status = 200): LocalAnswer => {
  const bytes = Buffer.from(JSON.stringify(body));
  const isBroken = behaviour.breaks !== undefined;
  return {
    status,
    headers: { 'content-type': 'application/json' },
    headDelayMs: behaviour.headDelayMs,
    chunks: [{ delayMs: 0, bytes: isBroken ? bytes.subarray(0, bytes.length >> 1) : bytes }],
    ending: behaviour.breaks ?? 'end',
  };
};

/** Pieces of an answer at the pace of its model; a broken one ends in the middle. */
export function pieces(chunks: readonly Buffer[], contentType: string, behaviour: Behaviour): LocalAnswer {
  const { breaks, headDelayMs, pieceDelayMs } = behaviour;
  const sent = breaks ? chunks.slice(0, Math.ceil(chunks.length / 2)) : chunks;
  return {
    status: 200,
    headers: { 'content-type': contentType },
    headDelayMs,
    chunks: sent.map((bytes) => ({ delayMs: pieceDelayMs, bytes })),
    ending: breaks ?? 'end',
  };
}

/** Events by their `type`, as OpenAI streams images and sound. */
export function typedEvents(
  events: readonly (JsonObject & { type: string })[],
  behaviour: Behaviour,
): LocalAnswer {
  const lines = events.map((event) =>
    Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  );
  return pieces(lines, 'text/event-stream', behaviour);
}

import type { JsonObject } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';
import type { Behaviour } from './models.ts';

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

import type { JsonObject } from '../../lib/json.ts';
import { chatWire } from './fake-model-chat.ts';
import { inPieces, type ModelWire, thoughtOf, type Turn } from './fake-model-words.ts';

const line = (model: string, message: JsonObject, more: JsonObject = { done: false }): string =>
  `${JSON.stringify({ model, created_at: '2026-11-01T00:00:00Z', message: { role: 'assistant', content: '', ...message }, ...more })}\n`;

const pieces = (turn: Turn): JsonObject[] =>
  'say' in turn
    ? inPieces(turn.say).map((content) => ({ content }))
    : [{ tool_calls: [{ function: { name: turn.call, arguments: turn.input } }] }];

/** Ollama's own chats: a line of JSON for each piece, and the counts in the last. */
export const ollamaWire: ModelWire = {
  contentType: 'application/x-ndjson',
  read: (body) => chatWire.read(body),
  whole: () => {
    throw new Error('Ollama is asked for streams alone');
  },
  stream: (turn, model) => [
    ...inPieces(thoughtOf(turn)).map((thinking) => line(model, { thinking })),
    ...pieces(turn).map((message) => line(model, message)),
    line(model, {}, { done: true, done_reason: 'stop', prompt_eval_count: 40, eval_count: 12 }),
  ],
};

import { type JsonObject, textOf } from '../../lib/json.ts';
import { chatWire } from './fake-model-chat.ts';
import { cohereWire } from './fake-model-cohere.ts';
import { converseWire } from './fake-model-converse.ts';
import { geminiWire } from './fake-model-gemini.ts';
import { messagesWire } from './fake-model-messages.ts';
import { ollamaWire } from './fake-model-ollama.ts';
import { responsesWire } from './fake-model-responses.ts';
import type { Asked, ModelWire, Turn } from './fake-model-words.ts';
import type { FakeExchange } from '../upstream/fake-upstream-exchange.ts';
import { type Behaviour, json, sseHeaders } from '../upstream/fake-upstream-scripts.ts';

/**
 * A model behind an upstream: reads the conversation in the protocol of the path it was called on, and answers in it,
 * streamed when it was asked to. A programme that works through several turns finds in it a partner who keeps up.
 */
export const playModel =
  (decide: (asked: Asked) => Turn): Behaviour =>
  async (exchange) => {
    const { wire, isStream, model } = wireOf(exchange);
    const turn = decide(wire.read(exchange.json() as JsonObject));
    if (!isStream) return json(wire.whole(turn, model))(exchange);
    exchange.head(200, wire.contentType === undefined ? sseHeaders : { 'content-type': wire.contentType });
    for (const piece of wire.stream(turn, model)) await exchange.write(piece);
    await exchange.end();
  };

function wireOf(exchange: FakeExchange): { wire: ModelWire; isStream: boolean; model: string } {
  const path = exchange.path.split('?')[0] ?? '';
  const body = exchange.json() as JsonObject;
  const asked = { isStream: body.stream === true, model: textOf(body.model) };
  if (path.endsWith('/chat/completions')) return { wire: chatWire, ...asked };
  if (path.endsWith('/responses')) return { wire: responsesWire, ...asked };
  if (path.endsWith('/messages')) return { wire: messagesWire, ...asked };
  // Ollama streams where nothing is said of it.
  if (path.endsWith('/api/chat')) return { wire: ollamaWire, ...asked, isStream: body.stream !== false };
  if (path.endsWith('/v2/chat')) return { wire: cohereWire, ...asked };
  const converse = /\/model\/([^/]+)\/converse(-stream)?$/.exec(path);
  if (converse) return { wire: converseWire, model: converse[1]!, isStream: converse[2] !== undefined };
  const gemini = /\/models\/([^/:]+):(stream)?generateContent$/i.exec(path);
  if (gemini) return { wire: geminiWire, model: gemini[1]!, isStream: gemini[2] !== undefined };
  const claude = /\/publishers\/anthropic\/models\/([^/:]+):(streamR|r)awPredict$/.exec(path);
  if (claude) return { wire: messagesWire, ...asked, model: decodeURIComponent(claude[1]!) };
  throw new Error(`no model is played at ${path}`);
}

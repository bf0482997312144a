import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** The only form of tool call ids that Mistral accepts. */
const ownId = /^[A-Za-z0-9]{9}$/;

/** Converts the messages to Mistral's form; unchanged if they have it already. */
export function adaptMessages(body: JsonObject): undefined {
  if (!Array.isArray(body.messages)) return;
  const messages = body.messages.map((message) => (isObject(message) ? adaptMessage(message) : message));
  if (messages.some((message, index) => message !== (body.messages as Json[])[index]))
    body.messages = messages;
}

function adaptMessage(message: JsonObject): JsonObject {
  const changes: JsonObject = {};
  if (Array.isArray(message.content) && message.content.some(hasImageObject)) {
    changes.content = message.content.map(plainImage);
  }
  if (Array.isArray(message.tool_calls) && message.tool_calls.some(hasForeignId)) {
    changes.tool_calls = message.tool_calls.map((call) =>
      isObject(call) ? { ...call, id: shortId(call.id) } : call,
    );
  }
  const id = message.tool_call_id;
  if (typeof id === 'string' && !ownId.test(id)) changes.tool_call_id = shortId(id);
  return Object.keys(changes).length === 0 ? message : { ...message, ...changes };
}

const hasImageObject = (part: Json): boolean => isObject(part) && isObject(part.image_url);

function plainImage(part: Json): Json {
  if (!isObject(part) || !isObject(part.image_url)) return part;
  return { ...part, image_url: part.image_url.url ?? '' };
}

const hasForeignId = (call: Json): boolean =>
  isObject(call) && typeof call.id === 'string' && !ownId.test(call.id);

/** The same short id for the same long one, so that calls and results still match. */
function shortId(id: Json | undefined): Json {
  if (typeof id !== 'string' || ownId.test(id)) return id ?? null;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}

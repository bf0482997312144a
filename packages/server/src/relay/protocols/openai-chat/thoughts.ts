import type { Part } from '../../types/index.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.ts';
import { markSignature, readSignature } from '../../conversation/index.ts';
import { thinkingText } from './text.ts';

/**
 * Thoughts with their signatures, for which OpenAI's own API has no field: they travel in `reasoning_details`, as
 * OpenRouter and its clients write them, beside the plain `reasoning_content` that all others know. A client that
 * sends the list back lets Claude and Gemini go on with their thoughts in a turn of tools.
 */
const own = 'openai-chat';

type Thought = Extract<Part, { type: 'reasoning' }>;

/** One thought of an answer or an earlier turn as an entry of the list; none when it proves nothing. */
export function writeDetails(thought: Omit<Thought, 'type'>): JsonObject[] {
  const { signature, redacted, signer } = thought;
  if (redacted !== undefined)
    return [{ type: 'reasoning.encrypted', data: markSignature(redacted, signer, own) }];
  if (signature === undefined) return [];
  return [{ type: 'reasoning.text', text: thought.text, signature: markSignature(signature, signer, own) }];
}

/** The thoughts of a message: the list where there is one, else the plain text. */
export function readThoughts(message: JsonObject): Thought[] {
  const thoughts = readThoughtList(message.reasoning_details);
  if (thoughts.length > 0) return thoughts;
  const plain = textOf(message.reasoning_content) || textOf(message.reasoning);
  const listed = Array.isArray(message.content)
    ? message.content.map((part) => (isObject(part) ? thinkingText(part.thinking) : '')).join('')
    : '';
  return plain + listed === '' ? [] : [{ type: 'reasoning', text: plain + listed }];
}

/** The entries of the list, in which a stream may send text and signature separately. */
export const readThoughtList = (details: Json | undefined): Thought[] =>
  Array.isArray(details) ? details.flatMap((detail) => (isObject(detail) ? readDetail(detail) : [])) : [];

function readDetail(detail: JsonObject): Thought[] {
  if (detail.type === 'reasoning.encrypted' || typeof detail.data === 'string') {
    const { signature, signer } = readSignature(textOf(detail.data), own);
    return [{ type: 'reasoning', text: '', redacted: signature, signer }];
  }
  const words = textOf(detail.text) || textOf(detail.summary);
  if (typeof detail.signature !== 'string') return words === '' ? [] : [{ type: 'reasoning', text: words }];
  return [{ type: 'reasoning', text: words, ...readSignature(detail.signature, own) }];
}

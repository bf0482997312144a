import { adaptResponses, isReference, withoutReferences } from '../../families/openai/index.ts';
import { cannotTranslate } from '../../conversation/index.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { AdaptContext, Adapted } from '../../types/index.ts';

/** Fields that this API accepts; it refuses a request for any other. */
const known = new Set(
  `model input instructions tools tool_choice parallel_tool_calls reasoning text include prompt_cache_key store stream`.split(
    ' ',
  ),
);
/** This API has no stored conversations, and stores none. */
const kept = ['previous_response_id', 'conversation', 'prompt'] as const;
/** Obfuscation of streams, which callers do not need. */
const silent = new Set(['stream_options']);
/** This API requires instructions. */
const plainInstructions = 'You are a helpful assistant.';
/** Nothing is stored, so the reasoning must be sent with the next turn. */
const thoughts = 'reasoning.encrypted_content';

/** A request for responses in the form of Codex: always a stream, never stored, and with instructions. */
export function adaptCodex(body: JsonObject, context: AdaptContext): Adapted | undefined {
  for (const name of kept)
    if (body[name] !== undefined && body[name] !== null) throw cannotTranslate(name, 'openai-responses');
  const adapted = adaptResponses(body, context);
  body.input = inputOf(body.input);
  if (body.input.some(isReference)) throw cannotTranslate('item_reference', 'openai-responses');
  body.instructions = textOr(body.instructions, plainInstructions);
  body.store = false;
  body.stream = true;
  const include = Array.isArray(body.include) ? body.include : [];
  if (!include.includes(thoughts)) body.include = [...include, thoughts];
  for (const [name, value] of Object.entries(body)) {
    if (known.has(name)) continue;
    delete body[name];
    if (value !== null && !silent.has(name)) context.drop(name);
  }
  return adapted;
}

const textOr = (value: Json | undefined, usual: string): string =>
  typeof value === 'string' && value !== '' ? value : usual;

/** The items, with system messages as developer messages. */
function inputOf(input: Json | undefined): Json[] {
  if (typeof input === 'string')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  if (!Array.isArray(input)) return [];
  return withoutReferences(input).map((item) =>
    isObject(item) && item.role === 'system' ? { ...item, role: 'developer' } : item,
  );
}

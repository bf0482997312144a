import { adaptResponses, isReference, withoutReferences } from '../../families/openai/index.ts';
import { cannotTranslate } from '../../conversation/index.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { AdaptContext, Adapted } from '../../types/index.ts';

/** Fields that this API takes; it refuses a request for any other. */
const known = new Set(
  `model input instructions tools tool_choice parallel_tool_calls reasoning text include prompt_cache_key store stream`.split(
    ' ',
  ),
);
/** Conversations that OpenAI keeps for others are not there for it, and it keeps none. */
const kept = ['previous_response_id', 'conversation', 'prompt'] as const;
/** Obfuscation of streams, which callers do not need. */
const silent = new Set(['stream_options']);
/** It refuses to answer without any. */
const plainInstructions = 'You are a helpful assistant.';
/** Nothing is kept, so that thoughts have to travel to be known in the next turn. */
const thoughts = 'reasoning.encrypted_content';

/** A request for responses as Codex sends them: always a stream, never kept, and with instructions. */
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

/** The items, with system messages as the developer's. */
function inputOf(input: Json | undefined): Json[] {
  if (typeof input === 'string')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  if (!Array.isArray(input)) return [];
  return withoutReferences(input).map((item) =>
    isObject(item) && item.role === 'system' ? { ...item, role: 'developer' } : item,
  );
}

import { untranslatable } from '@tollgate/contract/relay-errors';
import {
  alternating,
  boundOf,
  namesOfCalls,
  oneAnswer,
  type PlainTurn,
  plainTurns,
  replaceBody,
  stopsIn,
  withoutSchema,
} from '../../provider-kit/index.ts';
import { cannotTranslate } from '../../conversation/index.ts';
import { type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import type { AdaptContext } from '../../types/index.ts';

/** OpenAI's fields that this API supports under other names. */
const worded =
  `temperature top_p frequency_penalty stop max_tokens max_completion_tokens response_format user tools`.split(
    ' ',
  );
/** Baidu refuses 0, and stop sequences above these limits. */
const minTemperature = 0.01;
const maxStops = 4;
const minTokens = 2;

/**
 * A chat in the format of Baidu's first API. Throws RelayError (400, `cannot_translate`) for content without an
 * equivalent.
 */
export function adaptErnie(body: JsonObject, { drop, stream }: AdaptContext): undefined {
  oneAnswer(body);
  withoutSchema(body);
  const turns = plainTurns(body);
  const bound = boundOf(body);
  const stops = stopsIn(body);
  const instructions = turns.filter(({ role }) => role === 'system').map(({ text }) => text);
  const wanted: JsonObject = {
    messages: writeTurns(turns.filter(({ role }) => role !== 'system')),
    stream,
    system: instructions.length > 0 ? instructions.join('\n\n') : undefined,
    temperature: within(body.temperature, minTemperature, 1),
    top_p: within(body.top_p, 0, 1),
    penalty_score: penaltyOf(body.frequency_penalty),
    stop: stops.length > 0 ? stops.slice(0, maxStops) : undefined,
    max_output_tokens: bound === undefined ? undefined : Math.max(minTokens, bound),
    response_format: formatOf(body),
    user_id: textOf(body.user) || undefined,
    ...writeTools(body),
  };
  replaceBody(body, wanted, worded, drop);
}

function within(value: unknown, least: number, most: number): number | undefined {
  return typeof value === 'number' ? Math.min(most, Math.max(least, value)) : undefined;
}

/** Between 1 and 2 there, between -2 and 2 here; a reward for repetition is not supported. */
const penaltyOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value !== 0 ? 1 + within(value, 0, 2)! / 2 : undefined;

function formatOf({ response_format: format }: JsonObject): string | undefined {
  const type = textOf(objectOf(format).type);
  return type === 'json_object' ? type : undefined;
}

/** One function at a time; consecutive messages of one role are one message. */
function writeTurns(turns: readonly PlainTurn[]): JsonObject[] {
  const names = namesOfCalls(turns);
  return alternating(turns).map(({ role, text, calls, callId }) => {
    if (role === 'tool') return { role: 'function', name: names.get(callId) ?? callId, content: text };
    const [call, another] = calls;
    if (another) throw cannotTranslate(untranslatable.tools, 'openai-chat');
    // This API refuses a message without text.
    const content = text === '' && !call ? ' ' : text;
    return { role, content, ...(call && { function_call: { name: call.name, arguments: call.input } }) };
  });
}

function writeTools({ tools, tool_choice: choice }: JsonObject): JsonObject {
  if (choice === 'none') return {};
  const functions = objectsIn(tools).map((tool) => {
    if (tool.type !== 'function') throw cannotTranslate(textOf(tool.type), 'openai-chat');
    const { name, description, parameters } = objectOf(tool.function);
    return { name, description: textOf(description) || textOf(name), parameters: parameters ?? noParameters };
  });
  if (functions.length === 0) return {};
  if (choice === 'required') throw cannotTranslate(untranslatable.forced_tool, 'openai-chat');
  const named = textOf(objectOf(objectOf(choice).function).name);
  return { functions, ...(named !== '' && { tool_choice: { type: 'function', function: { name: named } } }) };
}

const noParameters: JsonObject = { type: 'object', properties: {} };

/** Texts to embed: a list, and no other fields. */
export function adaptEmbeddings(body: JsonObject, { drop }: AdaptContext): undefined {
  const list = typeof body.input === 'string' ? [body.input] : body.input;
  const isText = Array.isArray(list) && list.every((text) => typeof text === 'string');
  if (!isText) throw cannotTranslate('input', 'openai-embeddings');
  replaceBody(body, { input: list, user_id: textOf(body.user) || undefined }, ['input', 'user'], drop);
}

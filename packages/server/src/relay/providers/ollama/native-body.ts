import { untranslatable } from '@tollgate/contract/relay-errors';
import { cannotTranslate } from '../../conversation/index.ts';
import {
  boundOf,
  namesOfCalls,
  oneAnswer,
  type PlainTurn,
  plainTurns,
  replaceBody,
} from '../../provider-kit/index.ts';
import { parseExactObject } from '../../../lib/exact-numbers.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import type { AdaptContext, FetchedFile } from '../../types/index.ts';

/** OpenAI's fields that are model options here, under the same name. */
const options = ['temperature', 'top_p', 'top_k', 'seed', 'frequency_penalty', 'presence_penalty'] as const;
const worded = [
  ...options,
  ...`stop max_tokens max_completion_tokens response_format tools reasoning_effort think keep_alive options`.split(
    ' ',
  ),
];

/** A chat in Ollama's own format. It is always streamed: whole answers are made from the stream here. */
export function adaptNative(body: JsonObject, { model, files, drop }: AdaptContext): undefined {
  oneAnswer(body);
  const { tool_choice: choice, keep_alive: keepAlive } = body;
  if (choice === 'required' || isObject(choice))
    throw cannotTranslate(untranslatable.forced_tool, 'openai-chat');
  const wanted: JsonObject = {
    model,
    messages: writeMessages(body, files),
    stream: true,
    tools: choice === 'none' ? undefined : (body.tools ?? undefined),
    format: formatOf(body),
    options: optionsOf(body),
    think: thinkOf(body),
    keep_alive: keepAlive ?? undefined,
  };
  replaceBody(body, wanted, worded, drop);
}

function writeMessages(body: JsonObject, files: ReadonlyMap<string, FetchedFile>): JsonObject[] {
  const messages = objectsIn(body.messages);
  // Pictures are separate from the text here, so the turns are read without them.
  const turns = plainTurns({ messages: messages.map(withoutImages) });
  const names = namesOfCalls(turns);
  return turns.map((turn, at) => writeTurn(turn, messages[at]!, names, files));
}

const isImage = (part: Json): boolean => isObject(part) && part.type === 'image_url';

const withoutImages = (message: JsonObject): JsonObject =>
  Array.isArray(message.content)
    ? { ...message, content: message.content.filter((part) => !isImage(part)) }
    : message;

function writeTurn(
  { role, text, calls, callId }: PlainTurn,
  message: JsonObject,
  names: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, FetchedFile>,
): JsonObject {
  const images = objectsIn(message.content)
    .filter(isImage)
    .map((part) => requireData(part, files));
  const thoughts = textOf(message.reasoning_content) || textOf(message.reasoning);
  return {
    role,
    content: text,
    ...(images.length > 0 && { images }),
    ...(thoughts !== '' && { thinking: thoughts }),
    ...(role === 'tool' && { tool_name: names.get(callId) ?? callId }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, input }) => ({
        function: { name, arguments: parseExactObject(input) ?? {} },
      })),
    }),
  };
}

/** An image as bare base64. */
function requireData(part: JsonObject, files: ReadonlyMap<string, FetchedFile>): string {
  const url = textOf(part.image_url) || textOf(objectOf(part.image_url).url);
  const data = files.get(url)?.base64 ?? /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  if (data === undefined) throw cannotTranslate(untranslatable.file_not_fetched, 'openai-chat');
  return data;
}

function formatOf({ response_format: asked }: JsonObject): Json | undefined {
  const { type, json_schema: schema } = objectOf(asked);
  if (type === 'json_object') return 'json';
  return type === 'json_schema' ? (objectOf(schema).schema ?? 'json') : undefined;
}

function optionsOf(body: JsonObject): JsonObject | undefined {
  const given: JsonObject = {};
  for (const name of options) if ((body[name] ?? null) !== null) given[name] = body[name];
  const bound = boundOf(body);
  if (bound !== undefined) given.num_predict = bound;
  if ((body.stop ?? null) !== null) given.stop = body.stop;
  const all = { ...given, ...objectOf(body.options) };
  return Object.keys(all).length > 0 ? all : undefined;
}

/** Some models only turn thinking on or off; some accept an amount. */
function thinkOf({ think, reasoning_effort: effort }: JsonObject): Json | undefined {
  if (think !== undefined) return think;
  if (effort === 'none') return false;
  return typeof effort === 'string' ? effort : undefined;
}

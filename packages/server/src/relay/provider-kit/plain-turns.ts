import { untranslatable } from '@tollgate/contract/relay-errors';
import { entryOf, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import { cannotTranslate } from '../conversation/index.ts';

/** A tool call in a message of the assistant. */
interface PlainCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it. */
  input: string;
}

/** A message in OpenAI's format, for vendors that support only text and tool calls. */
export interface PlainTurn {
  role: 'system' | 'user' | 'assistant' | 'tool';
  text: string;
  calls: PlainCall[];
  /** The tool call that this message answers. */
  callId: string;
}

/**
 * The messages of a chat as text. Throws RelayError (400, `cannot_translate`: another channel may support it) for
 * images, sound and files.
 */
export function plainTurns(body: JsonObject): PlainTurn[] {
  return objectsIn(body.messages).map((message) => ({
    role: entryOf(roles, textOf(message.role)) ?? 'user',
    text: textIn(message.content),
    calls: callsIn(message),
    callId: textOf(message.tool_call_id),
  }));
}

const roles: Readonly<Record<string, PlainTurn['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

function textIn(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => {
      if (part.type === 'text' || part.type === 'refusal') return textOf(part.text) || textOf(part.refusal);
      throw cannotTranslate(
        part.type === 'input_audio' ? untranslatable.sound : textOf(part.type),
        'openai-chat',
      );
    })
    .join('\n');
}

const callsIn = (message: JsonObject): PlainCall[] =>
  objectsIn(message.tool_calls).map((call) => {
    const called = objectOf(call.function);
    return { id: textOf(call.id), name: textOf(called.name), input: textOf(called.arguments) };
  });

/**
 * Joins consecutive messages of one role, for vendors that require user and assistant to alternate, the user first. A
 * user's message after a tool result is joined with it.
 */
export function alternating(turns: readonly PlainTurn[]): PlainTurn[] {
  const joined: { turn: PlainTurn; texts: string[] }[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last && isSameTurn(last.turn, turn)) last.texts.push(turn.text);
    else if (turn.role === 'assistant' && (!last || last.turn.role === 'system'))
      joined.push({ turn: userFirst, texts: ['...'] }, { turn, texts: [turn.text] });
    else joined.push({ turn, texts: [turn.text] });
  }
  return joined.map(({ turn, texts }) => ({ ...turn, text: joinedTexts(texts) }));
}

/** Stands before a conversation that the assistant begins. */
const userFirst: PlainTurn = { role: 'user', text: '', calls: [], callId: '' };

const joinedTexts = (texts: readonly string[]): string => texts.filter((words) => words !== '').join('\n\n');

const isSameTurn = (before: PlainTurn, turn: PlainTurn): boolean =>
  (before.role === 'tool' && turn.role === 'user') ||
  (before.role === turn.role && turn.role !== 'tool' && before.calls.length + turn.calls.length === 0);

/** The tool name of each call in a conversation, by the id of the call. */
export const namesOfCalls = (turns: readonly PlainTurn[]): ReadonlyMap<string, string> =>
  new Map(turns.flatMap(({ calls }) => calls.map(({ id, name }) => [id, name] as const)));

/** Refuses tools, and tool calls in earlier messages, for vendors without tools. */
export function withoutTools(body: JsonObject, turns: readonly PlainTurn[]): void {
  const isOffered = objectsIn(body.tools).length > 0 && body.tool_choice !== 'none';
  if (isOffered || turns.some(({ role, calls }) => role === 'tool' || calls.length > 0)) {
    throw cannotTranslate(untranslatable.tools, 'openai-chat');
  }
}

/** Refuses several answers (`n`), which such vendors do not support. */
export function oneAnswer(body: JsonObject): void {
  if (typeof body.n === 'number' && body.n > 1)
    throw cannotTranslate(untranslatable.several_answers, 'openai-chat');
}

/** Refuses an answer with a schema, which such vendors do not support: an answer in another form would look valid. */
export function withoutSchema(body: JsonObject): void {
  if (objectOf(body.response_format).type === 'json_schema')
    throw cannotTranslate(untranslatable.answer_by_schema, 'openai-chat');
}

/** The limit of output tokens, under either of its names. */
export const boundOf = ({
  max_completion_tokens: newer,
  max_tokens: older,
}: JsonObject): number | undefined => {
  const bound = newer ?? older;
  return typeof bound === 'number' ? bound : undefined;
};

/** The stop sequences as a list. */
export const stopsIn = ({ stop }: JsonObject): string[] =>
  (Array.isArray(stop) ? stop : [stop]).filter((text) => typeof text === 'string');

/**
 * Replaces OpenAI's body with the vendor's own. `worded` are OpenAI's fields that it contains in another form; all
 * others are reported to `drop`.
 */
export function replaceBody(
  body: JsonObject,
  wanted: JsonObject,
  worded: readonly string[],
  drop: (what: string) => void,
): void {
  for (const key of Object.keys(body)) {
    if (!worded.includes(key) && !unspoken.has(key) && body[key] !== null) drop(key);
    delete body[key];
  }
  for (const [key, value] of Object.entries(wanted)) if (value !== undefined) body[key] = value;
}

/**
 * Fields that every protocol has in its own form, or that are unnecessary because the vendor always reports usage.
 */
const unspoken = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'tool_choice',
  'parallel_tool_calls',
]);

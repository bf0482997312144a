import { untranslatable } from '@tollgate/contract/relay-errors';
import { type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import { cannotTranslate } from '../conversation/index.ts';

/** A call of a tool in a turn of the assistant's. */
export interface PlainCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it. */
  input: string;
}

/** A message of OpenAI's, as vendors take it who know texts and calls alone. */
export interface PlainTurn {
  role: 'system' | 'user' | 'assistant' | 'tool';
  text: string;
  calls: PlainCall[];
  /** The call that a tool answers. */
  callId: string;
}

/**
 * The messages of a chat as texts. Throws RelayError (400, `cannot_translate`: another channel may do it) for pictures,
 * sound and files.
 */
export function plainTurns(body: JsonObject): PlainTurn[] {
  return objectsIn(body.messages).map((message) => ({
    role: roles[textOf(message.role)] ?? 'user',
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
 * Turns in which neighbours of one role are one: for vendors who want user and assistant to alternate. What the user says
 * behind the answer of a tool belongs to it: nobody spoke in between.
 */
export function alternating(turns: readonly PlainTurn[]): PlainTurn[] {
  const joined: PlainTurn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last && isSameTurn(last, turn)) {
      last.text = [last.text, turn.text].filter((words) => words !== '').join('\n\n');
    } else joined.push({ ...turn });
  }
  return joined;
}

const isSameTurn = (before: PlainTurn, turn: PlainTurn): boolean =>
  (before.role === 'tool' && turn.role === 'user') ||
  (before.role === turn.role && turn.role !== 'tool' && before.calls.length + turn.calls.length === 0);

/** The name of the tool that each call of a conversation asked for, by the id of the call. */
export const namesOfCalls = (turns: readonly PlainTurn[]): ReadonlyMap<string, string> =>
  new Map(turns.flatMap(({ calls }) => calls.map(({ id, name }) => [id, name] as const)));

/** Refuses what a vendor without tools cannot do: tools that may be called, and calls of earlier turns. */
export function withoutTools(body: JsonObject, turns: readonly PlainTurn[]): void {
  const isOffered = objectsIn(body.tools).length > 0 && body.tool_choice !== 'none';
  if (isOffered || turns.some(({ role, calls }) => role === 'tool' || calls.length > 0)) {
    throw cannotTranslate(untranslatable.tools, 'openai-chat');
  }
}

/** Refuses several answers, which vendors of their own wires do not give. */
export function oneAnswer(body: JsonObject): void {
  if (typeof body.n === 'number' && body.n > 1)
    throw cannotTranslate(untranslatable.several_answers, 'openai-chat');
}

/** Refuses an answer by a schema, which vendors of such wires do not give: one of another form would pass for it. */
export function withoutSchema(body: JsonObject): void {
  if (objectOf(body.response_format).type === 'json_schema')
    throw cannotTranslate(untranslatable.answer_by_schema, 'openai-chat');
}

/** The bound on output tokens, under either of its names. */
export const boundOf = ({
  max_completion_tokens: newer,
  max_tokens: older,
}: JsonObject): number | undefined => {
  const bound = newer ?? older;
  return typeof bound === 'number' ? bound : undefined;
};

/** The stop sequences, of which there may be one or several. */
export const stopsIn = ({ stop }: JsonObject): string[] =>
  (Array.isArray(stop) ? stop : [stop]).filter((text) => typeof text === 'string');

/**
 * Puts a body of the vendor's own in the place of OpenAI's. `worded` are the fields of OpenAI's that it says in other words;
 * all others are told to `drop`.
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

/** Fields that every wire has in a form of its own, or that ask for nothing where the vendor tells its usage anyway. */
const unspoken = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'tool_choice',
  'parallel_tool_calls',
]);

import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';

/** Behaviour of a sandbox model, chosen by its name. */
export interface Behaviour {
  /** Silence before the head. */
  headDelayMs: number;
  /** Pause before each piece of a stream. */
  pieceDelayMs: number;
  /** Refuses with this status. */
  failStatus?: 429 | 500;
  /** Ends in the middle: breaks off, or sends nothing more. */
  breaks?: 'cut' | 'stall';
  /** Reports no usage. */
  silentUsage?: boolean;
  /** Sends reasoning before the answer. */
  thinks?: boolean;
}

const usual: Behaviour = { headDelayMs: 20, pieceDelayMs: 10 };

/** Models of the sandbox and their behaviour. */
export const sandboxModels: Readonly<Record<string, Behaviour>> = {
  sandbox: usual,
  /** Without any pause, for measurements. */
  'sandbox-fast': { headDelayMs: 0, pieceDelayMs: 0 },
  'sandbox-slow': { headDelayMs: 1_000, pieceDelayMs: 500 },
  'sandbox-fail-429': { ...usual, failStatus: 429 },
  'sandbox-fail-500': { ...usual, failStatus: 500 },
  'sandbox-cut': { ...usual, breaks: 'cut' },
  'sandbox-stall': { ...usual, breaks: 'stall' },
  'sandbox-no-usage': { ...usual, silentUsage: true },
  'sandbox-think': { ...usual, thinks: true },
  'sandbox-embedding': usual,
  'sandbox-moderation': usual,
  'sandbox-image': usual,
  'sandbox-speech': usual,
  'sandbox-transcription': usual,
  'sandbox-rerank': usual,
};

/** The behaviour of a name; an unknown name that is mapped to the sandbox has the default behaviour. */
export const behaviourOf = (model: string): Behaviour =>
  Object.hasOwn(sandboxModels, model) ? sandboxModels[model]! : usual;

/** One JSON object after the head's delay. */
export const whole = (body: JsonObject, behaviour: Behaviour, status = 200): LocalAnswer => {
  const bytes = Buffer.from(JSON.stringify(body));
  const isBroken = behaviour.breaks !== undefined;
  return {
    status,
    headers: { 'content-type': 'application/json' },
    headDelayMs: behaviour.headDelayMs,
    chunks: [{ delayMs: 0, bytes: isBroken ? bytes.subarray(0, bytes.length >> 1) : bytes }],
    ending: behaviour.breaks ?? 'end',
  };
};

/** Pieces of an answer at its model's pace; an interrupted answer ends in the middle. */
export function inPieces(chunks: readonly Buffer[], contentType: string, behaviour: Behaviour): LocalAnswer {
  const { breaks, headDelayMs, pieceDelayMs } = behaviour;
  const sent = breaks ? chunks.slice(0, Math.ceil(chunks.length / 2)) : chunks;
  return {
    status: 200,
    headers: { 'content-type': contentType },
    headDelayMs,
    chunks: sent.map((bytes) => ({ delayMs: pieceDelayMs, bytes })),
    ending: breaks ?? 'end',
  };
}

/** Events by their `type`, like OpenAI's streams of images and sound. */
export function typedEvents(
  events: readonly (JsonObject & { type: string })[],
  behaviour: Behaviour,
): LocalAnswer {
  const lines = events.map((event) =>
    Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  );
  return inPieces(lines, 'text/event-stream', behaviour);
}

/** The text of a message's content, in any form. */
function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => {
      if (!isObject(part)) return typeof part === 'string' ? part : '';
      if (typeof part.text === 'string') return part.text;
      return typeof part.type === 'string' ? `[${part.type}]` : '';
    })
    .join(' ');
}

interface Conversation {
  /** The last user message. */
  question: string;
  /** The result of a tool if it is last. */
  toolResult: string | undefined;
  /** Input tokens, by the sandbox's own count. */
  tokens: number;
}

/** Reads a chat. */
function readChat(body: JsonObject): Conversation {
  const messages = (Array.isArray(body.messages) ? body.messages : []).filter(isObject);
  const words = messages.map((message) => contentText(message.content));
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const last = messages.at(-1);
  const tools = Array.isArray(body.tools) ? JSON.stringify(body.tools) : '';
  return {
    question: words[asked] ?? '',
    toolResult: last?.role === 'tool' ? (words.at(-1) ?? '') : undefined,
    tokens: words.reduce((sum, text) => sum + countTokens(text) + 4, 3) + countTokens(tools),
  };
}

/** The text of `prompt` or `input`: a text, texts, or tokens. */
export function textsOf(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [''];
  if (value.every((entry) => typeof entry === 'number')) return [value.join(' ')];
  return value.map((entry) =>
    Array.isArray(entry)
      ? entry.filter((token) => typeof token === 'number').join(' ')
      : contentText([entry]),
  );
}

/** The number of characters of a long text that are examined: more would delay other callers. */
const maxCounted = 100_000;

/** The sandbox's tokens: a word with the blank before it, or a single sign. The rule can be checked by hand. */
export const pieces = (text: string): string[] =>
  text.slice(0, maxCounted).match(/\s*[\p{L}\p{N}]+|\s*[^\s]|\s+$/gu) ?? [];

/** Tokens of a text; a long text has the same number per character as its beginning. */
export const countTokens = (text: string): number =>
  Math.ceil(pieces(text).length * Math.max(1, text.length / maxCounted));

/** The sandbox's answer: always the same for the same question. */
export function answerText({ question, toolResult }: Conversation): string {
  if (toolResult !== undefined) return `The tool said: ${toolResult}`;
  const asked = question.trim();
  if (asked === '') return 'This is the sandbox. You asked nothing, so here is an answer to nothing.';
  return `This is the sandbox, not a model. You wrote ${countTokens(asked)} tokens: "${asked}"`;
}

interface ToolCall {
  id: string;
  name: string;
  /** JSON text. */
  input: string;
}

/**
 * The sandbox's tool call, if tools are given and the choice demands one, or leaves it open and the question contains a
 * tool's name or the word tool. After a tool's result it answers with text.
 */
function toolCallFor(body: JsonObject, chat: Conversation): ToolCall | undefined {
  const tools = (Array.isArray(body.tools) ? body.tools : []).flatMap((tool) =>
    isObject(tool) && isObject(tool.function) ? [tool.function] : [],
  );
  const choice = body.tool_choice;
  if (tools.length === 0 || choice === 'none' || chat.toolResult !== undefined) return undefined;
  const forced = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
  const asked = chat.question.toLowerCase();
  const tool =
    tools.find(({ name }) => name === forced) ??
    tools.find(({ name }) => typeof name === 'string' && asked.includes(name.toLowerCase())) ??
    (choice === 'required' || /\btools?\b/.test(asked) ? tools[0] : undefined);
  if (!tool || typeof tool.name !== 'string') return undefined;
  return {
    id: 'call_sandbox_1',
    name: tool.name,
    input: JSON.stringify(fill(tool.parameters, chat.question, 0)),
  };
}

/**
 * A value for a JSON schema, as far as the sandbox supports it: texts are the question, numbers 1, lists have one
 * entry.
 */
function fill(schema: Json | undefined, question: string, depth: number): Json {
  if (!isObject(schema) || depth > 5) return {};
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]!;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'string') return question;
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'array') return [fill(schema.items, question, depth + 1)];
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, fill(value, question, depth + 1)]),
  );
}

/** The text of the answer, before it becomes chunks or one object. */
interface Speech {
  id: string;
  model: string;
  behaviour: Behaviour;
  isText: boolean;
  choices: number;
  thoughts: string[];
  words: string[];
  call: ToolCall | undefined;
  finish: 'stop' | 'length' | 'tool_calls';
  usage: JsonObject | undefined;
}

/** Fixed, so that the same request gives the same bytes. */
const created = 1_700_000_000;

/** Answers a chat, or with `isText` the older text completion. */
export function answerChat(
  body: JsonObject,
  model: string,
  behaviour: Behaviour,
  isText: boolean,
): LocalAnswer {
  const speech = speak(body, model, behaviour, isText);
  if (body.stream !== true) return whole(wholeAnswer(speech), behaviour);
  const wantsUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
  return stream(speech, wantsUsage);
}

function speak(body: JsonObject, model: string, behaviour: Behaviour, isText: boolean): Speech {
  const prompt = textsOf(body.prompt).join('\n');
  const chat = isText
    ? { question: prompt, toolResult: undefined, tokens: countTokens(prompt) }
    : readChat(body);
  const call = isText ? undefined : toolCallFor(body, chat);
  const most = numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens) ?? Infinity;
  const thoughts = behaviour.thinks
    ? pieces(`The user wrote: ${chat.question}. I echo it.`).slice(0, most)
    : [];
  const all = call
    ? []
    : pieces(isJsonWanted(body) ? JSON.stringify({ answer: answerText(chat) }) : answerText(chat));
  const words = all.slice(0, Math.max(0, most - thoughts.length));
  const choices = Math.min(numberOf(body.n) ?? 1, 128);
  const spoken = thoughts.length + words.length + (call ? countTokens(call.name + call.input) : 0);
  return {
    id: `${isText ? 'cmpl' : 'chatcmpl'}-sandbox`,
    model,
    behaviour,
    isText,
    choices,
    thoughts,
    words,
    call,
    finish: call ? 'tool_calls' : words.length < all.length ? 'length' : 'stop',
    usage: behaviour.silentUsage
      ? undefined
      : usageOf(chat.tokens, spoken * choices, thoughts.length * choices),
  };
}

const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;

const jsonFormats = new Set<unknown>(['json_object', 'json_schema']);
const isJsonWanted = (body: JsonObject): boolean =>
  isObject(body.response_format) && jsonFormats.has(body.response_format.type);

const usageOf = (prompt: number, completion: number, reasoning: number): JsonObject => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
});

const eachChoice = <T>({ choices }: Speech, make: (index: number) => T): T[] =>
  Array.from({ length: choices }, (_, index) => make(index));

function wholeAnswer(speech: Speech): JsonObject {
  const { id, model, isText, call, finish, usage } = speech;
  const text = speech.words.join('');
  const message: JsonObject = {
    role: 'assistant',
    content: call ? null : text,
    refusal: null,
    ...(speech.thoughts.length > 0 && { reasoning_content: speech.thoughts.join('') }),
    ...(call && { tool_calls: [written(call)] }),
  };
  return {
    id,
    object: isText ? 'text_completion' : 'chat.completion',
    created,
    model,
    choices: eachChoice(speech, (index) => ({
      index,
      ...(isText ? { text } : { message }),
      logprobs: null,
      finish_reason: finish,
    })),
    ...(usage && { usage }),
  };
}

const written = (call: ToolCall): JsonObject => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.input },
});

function stream(speech: Speech, wantsUsage: boolean): LocalAnswer {
  const { behaviour } = speech;
  const deltas = writeDeltas(speech);
  const events = deltas.flatMap((delta) => eachChoice(speech, (index) => chunk(speech, index, delta, null)));
  if (behaviour.breaks) events.length = Math.ceil(events.length / 2);
  else {
    events.push(
      ...eachChoice(speech, (index) => chunk(speech, index, speech.isText ? '' : {}, speech.finish)),
    );
    if (wantsUsage && speech.usage) events.push({ ...head(speech), choices: [], usage: speech.usage });
  }
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  if (!behaviour.breaks) lines.push('data: [DONE]\n\n');
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    headDelayMs: behaviour.headDelayMs,
    chunks: lines.map((line) => ({ delayMs: behaviour.pieceDelayMs, bytes: Buffer.from(line) })),
    ending: behaviour.breaks ?? 'end',
  };
}

/** The deltas of an answer in order: a text, or a part of a message. */
function writeDeltas({ isText, thoughts, words, call }: Speech): (string | JsonObject)[] {
  if (isText) return words;
  const deltas: JsonObject[] = [{ role: 'assistant', content: '' }];
  for (const thought of thoughts) deltas.push({ reasoning_content: thought });
  for (const word of words) deltas.push({ content: word });
  if (!call) return deltas;
  deltas.push({ tool_calls: [{ index: 0, ...written({ ...call, input: '' }) }] });
  for (const piece of pieces(call.input)) {
    deltas.push({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
  return deltas;
}

const head = ({ id, model, isText }: Speech): JsonObject => ({
  id,
  object: isText ? 'text_completion' : 'chat.completion.chunk',
  created,
  model,
});

const chunk = (
  speech: Speech,
  index: number,
  delta: string | JsonObject,
  finish: string | null,
): JsonObject => ({
  ...head(speech),
  choices: [
    {
      index,
      ...(typeof delta === 'string' ? { text: delta } : { delta }),
      logprobs: null,
      finish_reason: finish,
    },
  ],
});

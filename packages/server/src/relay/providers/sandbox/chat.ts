import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';
import type { Behaviour } from './models.ts';
import { answerText, countTokens, pieces, readChat, textsOf } from './text.ts';
import { type ToolCall, toolCallFor } from './tools.ts';
import { whole } from './whole.ts';

/** What is to be said, before it is put into chunks or into one object. */
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
  const deltas = deltasOf(speech);
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
function deltasOf({ isText, thoughts, words, call }: Speech): (string | JsonObject)[] {
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

import { counter, type Usage, usageOf } from '@tollgate/contract';
import {
  type JsonObject,
  objectOf,
  isObject,
  type Json,
  objectsIn,
  parseObject,
  textOf,
} from '../../../lib/json.ts';
import type { SseEvent } from '../../../lib/sse/index.ts';
import {
  type ChatStreamReader,
  type Emit,
  refuse,
  type RelayError,
  type FinishReason,
} from '../../types/index.ts';
import { failureIn, upstreamFailure } from '../../families/openai/index.ts';
import { endWithoutReason } from '../../conversation/index.ts';
import { Blocks } from './blocks.ts';
import { CitedText } from './citations.ts';

/**
 * Cohere's usage object in disjoint counters; undefined when it reports nothing.
 *
 * - `billed_units` are the charged units. `tokens` includes several hundred free tokens of Cohere's own instructions;
 *   it is used only without `billed_units`.
 * - `cached_tokens` count the whole prompt, which begins with those instructions: they cover the free part first.
 * - Images are billed within `input_tokens` and separate in `tokens`; reasoning is billed as output.
 */
export function readCohereUsage(raw: JsonObject): Usage | undefined {
  const tokens = objectOf(raw.tokens);
  const billed = objectOf(raw.billed_units);
  const images = counter(tokens.image_tokens);
  const prompt = counter(tokens.input_tokens) + images;
  const written = counter(tokens.output_tokens);
  const isBilled = counter(billed.input_tokens) + counter(billed.output_tokens) > 0;
  const input = isBilled ? counter(billed.input_tokens) : prompt;
  const output = isBilled ? counter(billed.output_tokens) : written;
  if (input + output === 0) return undefined;
  const unpaid = Math.max(0, prompt - input);
  const cacheRead = Math.min(input, Math.max(0, counter(raw.cached_tokens) - unpaid));
  const imageInput = Math.min(input - cacheRead, images);
  const reasoning = Math.min(output, counter(tokens.reasoning_tokens));
  return usageOf({
    cacheRead,
    imageInput,
    input: input - cacheRead - imageInput,
    reasoning,
    output: output - reasoning,
  });
}

const unified: Readonly<Record<string, FinishReason['unified']>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
};

/** Answers with these reasons are failures: Cohere broke off. */
const failedReasons: ReadonlySet<string> = new Set(['ERROR', 'TIMEOUT']);

/** Finish reason; an unknown one is unchanged. */
const readReason = (raw: string): FinishReason => ({
  unified: Object.hasOwn(unified, raw) ? unified[raw]! : 'other',
  raw,
});

/**
 * Log probabilities in the neutral form, that of chats; undefined without any. Cohere reports them for pieces of one or
 * more tokens; a piece of several becomes one, with the product as probability.
 */
function readLogprobs(value: Json | undefined): JsonObject | undefined {
  const content = objectsIn(Array.isArray(value) ? value : [value ?? null]).flatMap((piece) => {
    const numbers = Array.isArray(piece.logprobs) ? piece.logprobs : [];
    if (numbers.length === 0) return [];
    const logprob = numbers.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0);
    return [{ token: textOf(piece.text), logprob, bytes: null, top_logprobs: [] }];
  });
  return content.length > 0 ? { content } : undefined;
}

/** The events of a stream; their names repeat their types. */
const types: ReadonlySet<string> = new Set([
  'message-start',
  'content-start',
  'content-delta',
  'content-end',
  'tool-plan-delta',
  'tool-call-start',
  'tool-call-delta',
  'tool-call-end',
  'citation-start',
  'citation-end',
  'message-end',
  'error',
]);

/**
 * Reads the stream of a v2 chat, or a whole answer, into neutral events. The model's plans before tool calls are
 * reasoning. Lenient: unknown events are skipped.
 */
export class CohereReader implements ChatStreamReader {
  /** `message-end` has arrived, with reason and usage. Only `[DONE]` follows. */
  ended = false;
  private failed = false;
  private started = false;
  private readonly blocks = new Blocks();
  private readonly cited = new CitedText();

  read(event: SseEvent, emit: Emit): void {
    if (this.failed || this.ended || event.data.trim() === '[DONE]') return;
    const body = parseObject(event.data);
    if (!body) return this.fail(emit, refuse('event_not_json'));
    const named = textOf(body.type);
    const type = types.has(named) ? named : event.name || named;
    const failure = failureOf(type, body);
    if (failure) return this.fail(emit, failure);
    if (type === 'message-start') return this.start(textOf(body.id), emit);
    this.readEvent(type, body, emit);
  }

  private readEvent(type: string, body: JsonObject, emit: Emit): void {
    const delta = objectOf(body.delta);
    const message = objectOf(delta.message);
    const index = typeof body.index === 'number' ? body.index : 0;
    switch (type) {
      case 'content-start':
        return this.startContent(index, objectOf(message.content), emit);
      case 'content-delta':
        return this.say(objectOf(message.content), body.logprobs ?? delta.logprobs, emit);
      case 'content-end':
        return this.blocks.closeText(emit);
      case 'tool-plan-delta':
        return this.plan(message.tool_plan, emit);
      case 'tool-call-start':
        return this.startCall(index, objectOf(message.tool_calls), emit);
      case 'tool-call-delta':
        return this.blocks.addInput(index, objectOf(message.tool_calls), emit);
      case 'tool-call-end':
        return this.blocks.endCall(index, emit);
      case 'citation-start':
        return this.cite(message.citations, emit);
      case 'message-end':
        return this.finish(delta, delta.usage, emit);
      default:
    }
  }

  /** Reads a whole answer. */
  readBody(body: JsonObject, emit: Emit): void {
    const failure = failureOf('', body);
    if (failure) return this.fail(emit, failure);
    if (!isObject(body.message)) return;
    const { message } = body;
    this.start(textOf(body.id), emit);
    this.plan(message.tool_plan, emit);
    let logprobs = body.logprobs;
    for (const [index, content] of contentOf(message.content).entries()) {
      this.startContent(index, {}, emit);
      this.say(content, logprobs, emit);
      if (textOf(content.text) !== '') logprobs = undefined;
      this.blocks.closeText(emit);
    }
    this.cite(message.citations, emit);
    for (const [index, call] of objectsIn(message.tool_calls).entries()) {
      this.startCall(index, call, emit);
      this.blocks.endCall(index, emit);
    }
    this.finish(body, body.usage, emit);
  }

  end(emit: Emit): void {
    this.blocks.close(emit);
  }

  private start(id: string, emit: Emit): void {
    if (this.started) return;
    this.started = true;
    // Model and time are unknown.
    emit({ type: 'start', id, model: '', createdSeconds: 0 });
  }

  private startContent(index: number, content: JsonObject, emit: Emit): void {
    this.blocks.closeText(emit);
    this.cited.startBlock(index);
    this.say(content, undefined, emit);
  }

  private say(content: JsonObject, logprobs: Json | undefined, emit: Emit): void {
    this.start('', emit);
    this.blocks.say('reasoning', textOf(content.thinking), emit);
    const words = textOf(content.text);
    this.cited.add(words);
    this.blocks.say('text', words, emit, readLogprobs(logprobs));
  }

  private plan(words: Json | undefined, emit: Emit): void {
    this.start('', emit);
    this.blocks.say('reasoning', textOf(words), emit);
  }

  private startCall(index: number, call: JsonObject, emit: Emit): void {
    this.start('', emit);
    this.blocks.startCall(index, call, emit);
  }

  /** A stream has one citation at a time, a whole answer the list. */
  private cite(citations: Json | undefined, emit: Emit): void {
    const list = Array.isArray(citations) ? citations : [citations ?? null];
    for (const citation of objectsIn(list)) for (const event of this.cited.read(citation)) emit(event);
  }

  private finish(reported: JsonObject, raw: Json | undefined, emit: Emit): void {
    const reason = textOf(reported.finish_reason);
    this.start('', emit);
    this.blocks.close(emit);
    const usage = readCohereUsage(objectOf(raw));
    if (usage) emit({ type: 'usage', usage });
    if (failedReasons.has(reason)) {
      const words = textOf(reported.error);
      return this.fail(
        emit,
        words === '' ? refuse('upstream_ended_with', { reason }) : upstreamFailure(502, words, []),
      );
    }
    this.ended = true;
    const { hasCalls } = this.blocks;
    emit({
      type: 'finish',
      choice: 0,
      reason: reason === '' ? endWithoutReason(hasCalls) : readReason(reason),
    });
  }

  private fail(emit: Emit, error: RelayError): void {
    this.failed = true;
    this.end(emit);
    emit({ type: 'error', error });
  }
}

/** Cohere's error text is in `message`, which in an answer is an object. */
function failureOf(type: string, body: JsonObject): RelayError | undefined {
  const reported = failureIn(body);
  if (reported) return reported;
  const isError = type === 'error' || typeof body.message === 'string';
  if (!isError) return undefined;
  const words = textOf(body.message);
  return words === '' ? refuse('upstream_failed') : upstreamFailure(502, words, []);
}

const contentOf = (content: Json | undefined): JsonObject[] =>
  typeof content === 'string' ? [{ text: content }] : objectsIn(content);

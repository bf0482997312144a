import type { SseEvent } from '../../../lib/sse/index.ts';
import { EventParser } from '../../streams/index.ts';
import {
  type FinishReason,
  type ChatStreamReader,
  type Emit,
  refuse,
  type RelayError,
} from '../../types/index.ts';
import { isObject, type Json, type JsonObject, parseObject, textOf } from '../../../lib/json.ts';
import { failureIn, namesEnd, usageIn, readOpenaiUsage } from '../../families/openai/index.ts';
import { readPages } from './citation.ts';
import { ChoiceReader } from './read-choice.ts';

/**
 * Reads chat completion chunks, or one whole chat completion, into neutral events. Lenient: unknown fields are skipped.
 */
export class OpenaiChatReader implements ChatStreamReader {
  ended = false;
  private started = false;
  private failed = false;
  private readonly choices = new Map<number, ChoiceReader>();
  private readonly blocks = { next: 0 };
  private readonly chunks = new EventParser();

  read(event: SseEvent, emit: Emit): void {
    if (this.failed) return;
    if (this.ended) return this.readUsage(parseObject(event.data) ?? {}, emit);
    if (event.data.length < 9 && event.data.trim() === '[DONE]') {
      this.ended = true;
      return this.finish(true, emit);
    }
    const body = this.chunks.parse(event.data);
    if (!body) return this.fail(emit, refuse('event_not_json'));
    if (event.name === 'error' && !failureIn(body)) return this.fail(emit, refuse('upstream_failed'));
    this.readBody(body, emit);
  }

  /** Reads a whole answer. */
  readAnswer(body: JsonObject, emit: Emit): void {
    this.readBody(body, emit);
    if (!this.failed) this.finish(true, emit);
  }

  private readBody(body: JsonObject, emit: Emit): void {
    const failure = failureIn(body);
    if (failure) return this.fail(emit, failure);
    this.start(body, emit);
    const list = Array.isArray(body.choices) ? body.choices : [];
    for (const choice of list) if (isObject(choice)) this.readChoice(choice, body, emit);
    this.readUsage(body, emit);
  }

  /** Also after the end marker, because a caller of the passed stream may read it there. */
  private readUsage(body: JsonObject, emit: Emit): void {
    const raw = usageIn(body);
    const usage = raw && readOpenaiUsage(raw);
    if (usage) emit({ type: 'usage', usage });
  }

  end(emit: Emit): void {
    if (!this.failed) this.finish(this.ended, emit);
  }

  private finish(isWhole: boolean, emit: Emit): void {
    for (const choice of this.choices.values()) choice.finish(isWhole, emit);
  }

  private fail(emit: Emit, error: RelayError): void {
    this.failed = true;
    for (const choice of this.choices.values()) choice.close(emit);
    emit({ type: 'error', error });
  }

  private start(body: JsonObject, emit: Emit): void {
    if (this.started) return;
    this.started = true;
    emit({
      type: 'start',
      id: textOf(body.id),
      model: textOf(body.model),
      createdSeconds: typeof body.created === 'number' ? Math.floor(body.created) : 0,
      ...(typeof body.service_tier === 'string' && { serviceTier: body.service_tier }),
      ...(typeof body.system_fingerprint === 'string' && { fingerprint: body.system_fingerprint }),
    });
  }

  private readChoice(choice: JsonObject, body: JsonObject, emit: Emit): void {
    const index = typeof choice.index === 'number' ? choice.index : 0;
    let reader = this.choices.get(index);
    if (!reader) this.choices.set(index, (reader = new ChoiceReader(index, this.blocks)));
    if (isObject(choice.delta)) reader.readDelta(choice.delta, logprobsOf(choice.logprobs), emit);
    else if (isObject(choice.message)) reader.readMessage(choice.message, logprobsOf(choice.logprobs), emit);
    if (namesEnd(choice.finish_reason)) reader.note(finishReason(choice.finish_reason), readPages(body));
  }
}

const logprobsOf = (logprobs: Json | undefined): Json | undefined => logprobs ?? undefined;

const unified: Readonly<Record<string, FinishReason['unified']>> = {
  stop: 'stop',
  eos: 'stop',
  length: 'length',
  model_length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  error: 'error',
};

const finishReason = (raw: string): FinishReason => ({
  unified: Object.hasOwn(unified, raw) ? unified[raw]! : 'other',
  raw,
});

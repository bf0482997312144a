import type { SseEvent } from '../../../../lib/sse/index.ts';
import { EventParser } from '../../../streams/index.ts';
import { type ChatStreamReader, type Emit, type FinishReason, refuse } from '../../../types/index.ts';
import { withExactNumbers } from '../../../../lib/exact-numbers.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../../../lib/json.ts';
import { failureIn, upstreamFailure } from '../../../families/openai/index.ts';
import { endWithoutReason } from '../../../conversation/index.ts';
import { eventType } from '../events.ts';
import { HostedCalls } from './hosted-calls.ts';
import { BlockReader } from './read-block.ts';
import { readReason } from '../reasons.ts';
import { readTier } from '../tier.ts';
import { isSearch, readAnthropicInput, readAnthropicUsage, UsageParts } from '../usage.ts';

/** Reads the stream of a Messages answer, or a whole one, into neutral events. Lenient: unknown events are skipped. */
export class AnthropicReader implements ChatStreamReader {
  ended = false;
  private failed = false;
  private started = false;
  private finished = false;
  private hasCalls = false;
  private reason: FinishReason | undefined;
  private readonly usage = new UsageParts();
  private readonly open = new Map<number, BlockReader>();
  private nextBlock = 0;
  private readonly calls = new HostedCalls();
  private readonly events = new EventParser();

  read(event: SseEvent, emit: Emit): void {
    if (this.failed) return;
    const parsed = this.events.parse(event.data);
    // A vendor may send the arguments with the beginning of their block.
    const body = parsed && withExactNumbers(parsed, event.data, [['content_block', 'input']]);
    if (this.ended) return this.readLate(body, emit);
    if (!body)
      return this.fail(emit, event.name === 'error' ? upstreamFailure(502, event.data, []) : undefined);
    const type = eventType(body, event.name);
    if (type === 'error' || isObject(body.error)) return this.readFailure(body, emit);
    this.readEvent(type, body, emit);
  }

  /** After the end marker only a usage is read, as in a passed stream. */
  private readLate(body: JsonObject | undefined, emit: Emit): void {
    if (body?.type === 'message_delta') this.readUsage(body.usage, emit);
  }

  private readEvent(type: string, body: JsonObject, emit: Emit): void {
    const index = typeof body.index === 'number' ? body.index : 0;
    switch (type) {
      case 'message_start':
        return this.start(isObject(body.message) ? body.message : {}, emit);
      case 'content_block_start':
        return this.startBlock(index, isObject(body.content_block) ? body.content_block : {}, emit);
      case 'content_block_delta':
        if (isObject(body.delta)) this.open.get(index)?.delta(body.delta, emit);
        return;
      case 'content_block_stop':
        return this.endBlock(index, emit);
      case 'message_delta':
        return this.readEnd(isObject(body.delta) ? body.delta : {}, body.usage, emit);
      case 'message_stop':
        this.ended = true;
        return this.finish(emit);
      default:
    }
  }

  /** Reads a whole answer. */
  readBody(body: JsonObject, emit: Emit): void {
    if (body.type === 'error' || isObject(body.error)) return this.readFailure(body, emit);
    if (!Array.isArray(body.content)) return;
    this.start(body, emit);
    body.content.forEach((block, index) => {
      if (!isObject(block)) return;
      this.startBlock(index, block, emit);
      this.endBlock(index, emit);
    });
    this.readEnd(body, body.usage, emit);
    this.ended = true;
    this.finish(emit);
  }

  end(emit: Emit): void {
    this.close(emit);
    if (!this.failed) this.finish(emit);
  }

  private close(emit: Emit): void {
    for (const index of this.open.keys()) this.endBlock(index, emit);
  }

  private readFailure(body: JsonObject, emit: Emit): void {
    this.fail(emit, failureIn(body) ?? refuse('upstream_failed'));
  }

  private fail(emit: Emit, error = refuse('event_not_json')): void {
    this.failed = true;
    this.close(emit);
    emit({ type: 'error', error });
  }

  private start(message: JsonObject, emit: Emit): void {
    if (this.started) return;
    this.started = true;
    const usage = this.usage.start(message.usage);
    const tier = readTier(textOf(usage.service_tier));
    emit({
      type: 'start',
      id: textOf(message.id),
      model: textOf(message.model),
      createdSeconds: 0,
      ...(tier !== undefined && { serviceTier: tier }),
    });
    const input = readAnthropicInput(usage);
    if (input) emit({ type: 'usage', usage: input, isPartial: true });
  }

  private startBlock(index: number, block: JsonObject, emit: Emit): void {
    this.endBlock(index, emit);
    const announced = isSearch(block) && readAnthropicInput(this.usage.search());
    if (announced) emit({ type: 'usage', usage: announced, isPartial: true });
    const reader = new BlockReader(block, this.nextBlock++, this.calls, emit);
    this.hasCalls ||= reader.isCall;
    this.open.set(index, reader);
  }

  private endBlock(index: number, emit: Emit): void {
    this.open.get(index)?.end(emit);
    this.open.delete(index);
  }

  /** `message_delta` may occur more than once; the last reason and every usage count. */
  private readEnd(delta: JsonObject, usage: Json | undefined, emit: Emit): void {
    this.readUsage(usage, emit);
    const reason = textOf(delta.stop_reason);
    if (reason !== '') this.reason = readReason(reason, delta.stop_sequence);
  }

  private readUsage(usage: Json | undefined, emit: Emit): void {
    const counted = readAnthropicUsage(this.usage.delta(usage));
    if (counted) emit({ type: 'usage', usage: counted });
  }

  /** The answer is complete; without its end marker only after a finish reason. */
  private finish(emit: Emit): void {
    const reason = this.reason ?? (this.ended ? endWithoutReason(this.hasCalls) : undefined);
    if (this.finished || !reason) return;
    this.close(emit);
    this.finished = true;
    emit({ type: 'finish', choice: 0, reason });
  }
}

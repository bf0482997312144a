import { counter, inputTokens, outputTokens, type Usage, usageOf } from '@tollgate/contract';
import { type JsonObject, objectsIn, isObject, objectOf, parseObject, textOf } from '../../../lib/json.ts';
import type { SseEvent } from '../../../lib/sse/index.ts';
import { type ChatStreamReader, type Emit, refuse, type FinishReason } from '../../types/index.ts';
import { endWithoutReason } from '../../conversation/index.ts';
import { BlockReader } from './read-block.ts';

/**
 * Bedrock's usage object in disjoint counters; undefined when it reports nothing. `inputTokens` excludes cache
 * reads and writes, `cacheDetails` has the writes by duration. Nova's own answers have the suffix `Count` for cached
 * tokens.
 */
export function readConverseUsage(raw: JsonObject, webSearchCalls = 0): Usage | undefined {
  const written = counter(raw.cacheWriteInputTokens ?? raw.cacheWriteInputTokenCount);
  let cacheWrite1h = 0;
  for (const { ttl, inputTokens: tokens } of objectsIn(raw.cacheDetails)) {
    if (ttl === '1h') cacheWrite1h += counter(tokens);
  }
  const usage = usageOf({
    input: counter(raw.inputTokens),
    cacheRead: counter(raw.cacheReadInputTokens ?? raw.cacheReadInputTokenCount),
    cacheWrite5m: Math.max(0, written - cacheWrite1h),
    cacheWrite1h,
    output: counter(raw.outputTokens),
    webSearchCalls,
  });
  return inputTokens(usage) + outputTokens(usage) + webSearchCalls === 0 ? undefined : usage;
}

const unified: Readonly<Record<string, FinishReason['unified']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
  malformed_model_output: 'error',
  malformed_tool_use: 'error',
};

/** Finish reason from Bedrock's; `sequence` is the stop sequence that was met, if reported. */
const readReason = (raw: string, sequence: unknown): FinishReason => ({
  unified: Object.hasOwn(unified, raw) ? unified[raw]! : 'other',
  raw,
  ...(typeof sequence === 'string' && { sequence }),
});

/** Nova's web search tool, which the vendor charges by the search. */
const groundingTool = 'nova_grounding';

/**
 * Reads the events of ConverseStream into neutral ones. The usage is last, in `metadata` after `messageStop`. Lenient:
 * unknown events are skipped.
 */
export class ConverseReader implements ChatStreamReader {
  /** Reason and usage have arrived. */
  ended = false;
  private failed = false;
  private started = false;
  private finished = false;
  private hasCalls = false;
  private searches = 0;
  private nextBlock = 0;
  private readonly open = new Map<number, BlockReader>();
  /** A text that has ended on the wire: some models send its sources in separate blocks after it. */
  private resting: BlockReader | undefined;

  read(event: SseEvent, emit: Emit): void {
    if (this.failed || this.ended) return;
    const body = parseObject(event.data);
    if (!body) {
      this.failed = true;
      this.end(emit);
      return emit({ type: 'error', error: refuse('event_not_json') });
    }
    this.readEvent(event.name, body, emit);
  }

  /** Reads an event by its name. */
  readEvent(name: string, body: JsonObject, emit: Emit): void {
    this.start(emit);
    const index = typeof body.contentBlockIndex === 'number' ? body.contentBlockIndex : 0;
    switch (name) {
      case 'contentBlockStart':
        this.endBlock(index, emit);
        this.note(objectOf(body.start), emit);
        return this.block(index, false, emit)?.start(objectOf(body.start), emit);
      case 'contentBlockDelta': {
        const delta = objectOf(body.delta);
        return this.block(index, isObject(delta.citation), emit)?.delta(delta, emit);
      }
      case 'contentBlockStop':
        return this.endBlock(index, emit);
      case 'messageStop':
        return this.finish(body, emit);
      case 'metadata':
        return this.emitUsage(body.usage, emit);
      default:
    }
  }

  /** Ends the open block. */
  end(emit: Emit): void {
    for (const index of this.open.keys()) this.endBlock(index, emit);
    this.endResting(emit);
  }

  /** Bedrock's answers have no id. */
  private start(emit: Emit): void {
    if (this.started) return;
    this.started = true;
    emit({ type: 'start', id: '', model: '', createdSeconds: 0 });
  }

  /** The block of an index, begun by its first event; none after the finish reason. */
  private block(index: number, isCitation: boolean, emit: Emit): BlockReader | undefined {
    if (this.finished) return undefined;
    const open = this.open.get(index);
    if (open) return open;
    const block = (isCitation ? this.resting : undefined) ?? new BlockReader(this.nextBlock++);
    if (block === this.resting) this.resting = undefined;
    else this.endResting(emit);
    this.open.set(index, block);
    return block;
  }

  private endBlock(index: number, emit: Emit): void {
    const block = this.open.get(index);
    this.open.delete(index);
    if (!block?.isText) return block?.end(emit);
    this.endResting(emit);
    this.resting = block;
  }

  private endResting(emit: Emit): void {
    this.resting?.end(emit);
    this.resting = undefined;
  }

  private note({ toolUse }: JsonObject, emit: Emit): void {
    if (!isObject(toolUse)) return;
    if (toolUse.type !== 'server_tool_use') this.hasCalls = true;
    else if (toolUse.name === groundingTool) {
      this.searches += 1;
      emit({ type: 'usage', usage: usageOf({ webSearchCalls: this.searches }), isPartial: true });
    }
  }

  private finish(body: JsonObject, emit: Emit): void {
    if (this.finished) return;
    this.end(emit);
    this.finished = true;
    const sequence = objectOf(body.additionalModelResponseFields).stop_sequence;
    const raw = textOf(body.stopReason);
    const reason = raw === '' ? endWithoutReason(this.hasCalls) : readReason(raw, sequence);
    emit({ type: 'finish', choice: 0, reason });
  }

  private emitUsage(raw: unknown, emit: Emit): void {
    const usage = isObject(raw) ? readConverseUsage(raw, this.searches) : undefined;
    if (usage) emit({ type: 'usage', usage });
    this.ended = this.finished;
  }
}

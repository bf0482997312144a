import type { Usage } from '@tollgate/contract';
import type { ChatEvent, FinishReason, ChatStreamWriter, WriterOptions } from '../../../types/index.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { ContentEvent } from '../../../conversation/index.ts';
import { headOf } from './head.ts';
import { writeReason } from '../reasons.ts';
import { writeAnthropicUsage } from '../usage.ts';
import { type BlockEvent, BlockQueue } from './write-block.ts';

/**
 * Writes neutral events as a Messages stream. Anthropic sends blocks one after the other, so interleaved content of
 * another vendor waits until the previous block has ended. Finish reason and usage are in one event at the end, which
 * is written when both are known.
 */
export class AnthropicWriter implements ChatStreamWriter {
  private readonly options: WriterOptions;
  private readonly blocks: BlockQueue;
  private started = false;
  private usage: Usage | undefined;
  private reason: FinishReason | undefined;

  constructor(options: WriterOptions) {
    this.options = options;
    this.blocks = new BlockQueue(options.fallback.requestId);
  }

  write(event: ChatEvent): string {
    switch (event.type) {
      case 'start':
        return this.begin(event);
      case 'usage':
        if (!event.isPartial) this.usage = event.usage;
        return '';
      case 'finish':
        // Messages has one answer; the requests of callers ask for no more.
        if (event.choice === 0) this.reason ??= event.reason;
        return '';
      case 'error':
        return '';
      case 'text-delta':
        if (this.blocks.isWriting(event)) return this.word(event.text);
        return this.block(event);
      default:
        return this.block(event);
    }
  }

  private block(event: ContentEvent): string {
    return event.choice === 0 ? this.begin(undefined) + this.written(this.blocks.write(event)) : '';
  }

  /** Most events of a stream are a few letters of text, so they are written without an object in between. */
  private word(text: string): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.blocks.index},"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}\n\n`;
  }

  end(): string {
    const { reason } = this;
    const delta = {
      stop_reason: writeReason(reason, this.blocks.hasTools),
      stop_sequence: reason?.sequence ?? null,
      stop_details: null,
      container: null,
    };
    return (
      this.begin(undefined) +
      this.written(this.blocks.end()) +
      write({ type: 'message_delta', delta, usage: writeAnthropicUsage(this.usage) }) +
      write({ type: 'message_stop' })
    );
  }

  private begin(event: Extract<ChatEvent, { type: 'start' }> | undefined): string {
    if (this.started) return '';
    this.started = true;
    const message = {
      ...headOf(event, this.options.fallback),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: writeAnthropicUsage(undefined, event?.serviceTier),
    };
    return write({ type: 'message_start', message });
  }

  private written(events: readonly BlockEvent[]): string {
    let text = '';
    for (const event of events) text += write(event);
    return text;
  }
}

const write = (data: JsonObject & { type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

import { type JsonObject, textOf } from '../../../../lib/json.ts';
import { BlockOrder, type ContentEvent, markSignature } from '../../../conversation/index.ts';
import { imageText, writeCitation } from './parts-of-others.ts';
import { answeredBlocks } from './hosted-blocks.ts';

const own = 'anthropic-messages';

/** An event of the stream about a content block. */
export type BlockEvent = JsonObject & { type: string };

/** Turns the events of blocks into those of Messages, one block after the other. */
export class BlockQueue {
  /** True once the model called a tool of the caller. */
  hasTools = false;
  private readonly requestId: string;
  private readonly order = new BlockOrder((event) => this.apply(event));
  /** Number of the last block on the wire. */
  index = -1;
  /** True from the start of a text to its end, even if no word was written. */
  private isText = false;
  /** Type of the block that is open on the wire. */
  private openType: string | undefined;
  private out: BlockEvent[] = [];

  constructor(requestId: string) {
    this.requestId = requestId;
  }

  /** The events of Messages for a neutral event. */
  write(event: ContentEvent): BlockEvent[] {
    this.order.put(event);
    return this.take();
  }

  /** True for text of the block that is open on the wire. */
  isWriting({ choice, block }: { choice: number; block: number }): boolean {
    return choice === 0 && this.openType === 'text' && this.order.isOpen(block);
  }

  /** Ends the open block. */
  end(): BlockEvent[] {
    this.order.end(() => this.close());
    return this.take();
  }

  private take(): BlockEvent[] {
    const { out } = this;
    this.out = [];
    return out;
  }

  private apply(event: ContentEvent): void {
    switch (event.type) {
      case 'text-start':
        this.isText = true;
        return;
      case 'text-delta':
      case 'refusal-delta':
        return this.textDelta(event.text);
      case 'reasoning-delta':
        if (this.openType === undefined) this.open({ type: 'thinking', thinking: '', signature: '' });
        return this.delta({ type: 'thinking_delta', thinking: event.text });
      case 'reasoning-end':
        return this.endReasoning(event);
      case 'tool-input-start':
        this.hasTools = true;
        return this.open({
          type: 'tool_use',
          id: event.id || `toolu_${this.requestId}_${event.block}`,
          name: event.name,
          input: {},
          caller: { type: 'direct' },
        });
      case 'tool-input-delta':
        return this.delta({ type: 'input_json_delta', partial_json: event.text });
      case 'text-end':
      case 'refusal-end':
      case 'tool-input-end':
        return this.close();
      case 'annotation':
        return this.cite(writeCitation(event));
      case 'file':
        return this.ownText(imageText(event.source));
      case 'other':
        if (event.extra.protocol === own) this.whole(event.extra.fields);
        else if (event.call) for (const block of answeredBlocks(event.call)) this.whole(block);
        return;
      // Blocks of text and reasoning begin with their first word, because some vendors send empty ones.
      default:
    }
  }

  private textDelta(text: string): void {
    if (this.openType === undefined) this.open({ type: 'text', text: '', citations: null });
    this.delta({ type: 'text_delta', text });
  }

  private endReasoning(event: Extract<ContentEvent, { type: 'reasoning-end' }>): void {
    if (event.redacted !== undefined && this.openType === undefined) {
      this.open({ type: 'redacted_thinking', data: markSignature(event.redacted, event.signer, own) });
    } else if (event.signature !== undefined) {
      if (this.openType === undefined) this.open({ type: 'thinking', thinking: '', signature: '' });
      this.delta({ type: 'signature_delta', signature: markSignature(event.signature, event.signer, own) });
    }
    this.close();
  }

  /** Anthropic sends the sources of a text before it. A source outside of any text is omitted. */
  private cite(citation: JsonObject): void {
    if (this.isText && this.openType === undefined) this.open({ type: 'text', text: '', citations: null });
    if (this.openType === 'text') this.delta({ type: 'citations_delta', citation });
  }

  /** A separate text block. */
  private ownText(text: string): void {
    if (text === '') return;
    this.textDelta(text);
    this.close();
  }

  /** An unchanged block of the vendor's own tools. */
  private whole(content: JsonObject): void {
    const { input, ...rest } = content;
    if (input === undefined) this.open(content);
    else {
      this.open({ ...rest, input: {} });
      this.delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) });
    }
    this.close();
  }

  private open(content: JsonObject): void {
    this.index += 1;
    this.openType = textOf(content.type);
    this.out.push({ type: 'content_block_start', index: this.index, content_block: content });
  }

  private delta(delta: JsonObject): void {
    this.out.push({ type: 'content_block_delta', index: this.index, delta });
  }

  private close(): void {
    this.isText = false;
    if (this.openType === undefined) return;
    this.openType = undefined;
    this.out.push({ type: 'content_block_stop', index: this.index });
  }
}

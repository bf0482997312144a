import type { ChatEvent } from '../types/index.ts';

/** An event in the content of one answer. */
export type ContentEvent = Exclude<ChatEvent, { type: 'start' | 'usage' | 'finish' | 'error' }>;

/**
 * Puts the blocks of an answer one after the other, for protocols that close each block before the next one opens:
 * blocks that another vendor fills in turns wait until the block before them has ended. A picture, or a whole block, is
 * not put into another block.
 */
export class BlockOrder {
  private readonly write: (event: ContentEvent) => void;
  /** The block that is being written. */
  private current: number | undefined;
  /** Events of blocks that began before the current one ended, in the order of the blocks. */
  private readonly waiting = new Map<number, ContentEvent[]>();
  /** Events that are blocks by themselves have numbers below those of the answer. */
  private ownBlock = -1;

  constructor(write: (event: ContentEvent) => void) {
    this.write = write;
  }

  /** Writes an event now, or in its turn. */
  put(event: ContentEvent): void {
    // A source belongs to the current or last text.
    if (event.type === 'annotation') return this.write(event);
    const block = 'block' in event ? event.block : this.ownBlock--;
    this.current ??= block;
    if (block === this.current) {
      this.write(event);
      if (endsBlock(event)) this.next();
      return;
    }
    const events = this.waiting.get(block);
    if (events) events.push(event);
    else this.waiting.set(block, [event]);
  }

  /** True for a block that is written immediately. */
  isOpen(block: number): boolean {
    return block === this.current;
  }

  /** Writes all waiting events: the answer is over. `close` ends a block that has not ended. */
  end(close: () => void): void {
    close();
    for (const events of this.waiting.values()) {
      for (const event of events) this.write(event);
      close();
    }
    this.waiting.clear();
    this.current = undefined;
  }

  /** The current block has ended: the waiting blocks follow, up to one that is still being filled. */
  private next(): void {
    this.current = undefined;
    for (const [block, events] of this.waiting) {
      this.waiting.delete(block);
      this.current = block;
      for (const event of events) this.write(event);
      if (!endsBlock(events.at(-1)!)) return;
      this.current = undefined;
    }
  }
}

const endsBlock = (event: ContentEvent): boolean => !('block' in event) || event.type.endsWith('-end');

import type { Emit, FinishReason } from '../types/index.ts';
import type { Json } from '../../lib/json.ts';

/** The two kinds of text in an answer: its words, and the reasoning. */
export type TextKind = 'text' | 'reasoning';

/** Fields that may accompany a piece of text, by protocol. */
interface TextExtras {
  /** Log probabilities of a text. */
  logprobs?: Json | undefined;
  /** True for reasoning that an application reports and no model wrote (`ChatEvent`). */
  isReport?: true;
}

/** The finish reason of a complete answer without one. */
export const endWithoutReason = (hasCalls: boolean): FinishReason => ({
  unified: hasCalls ? 'tool-calls' : 'stop',
  raw: '',
});

/** Keeps the text of an answer's only choice balanced: one block of one kind is open at a time. */
export class TextBlocks {
  private next = 0;
  private open: { kind: TextKind; block: number } | undefined;

  /** The number of a new block, also for blocks of other kinds beside the text. */
  newBlock(): number {
    return this.next++;
  }

  /** Emits text, in a new block if the kind changes; nothing for an empty text. */
  write(kind: TextKind, text: string, emit: Emit, { logprobs, isReport }: TextExtras = {}): void {
    if (text === '') return;
    if (this.open?.kind !== kind) {
      this.end(emit);
      this.open = { kind, block: this.newBlock() };
      emit({ type: `${kind}-start`, choice: 0, block: this.open.block });
    }
    const place = { choice: 0, block: this.open.block, text };
    if (kind === 'text') emit({ type: 'text-delta', ...place, ...(logprobs !== undefined && { logprobs }) });
    else emit({ type: 'reasoning-delta', ...place, ...(isReport && { isReport }) });
  }

  /** Ends the open block, if there is one. */
  end(emit: Emit): void {
    const { open } = this;
    this.open = undefined;
    if (open) emit({ type: `${open.kind}-end`, choice: 0, block: open.block });
  }
}

import type { Emit } from '../types/index.ts';
import type { Json } from '../../lib/json.ts';

/** What an answer says: its words, and the thoughts behind them. */
export type ProseKind = 'text' | 'reasoning';

/** What is told beside a piece of prose, where its protocol tells it. */
interface BesideProse {
  /** Log probabilities of a text. */
  logprobs?: Json | undefined;
  /** True for thoughts that an application reports and no model wrote (`ChatEvent`). */
  isReport?: true;
}

/** Keeps the prose of an answer's only choice balanced: one block of one kind is open at a time. */
export class Prose {
  private next = 0;
  private open: { kind: ProseKind; block: number } | undefined;

  /** The number of a new block; for blocks of other kinds too, which lie beside the prose. */
  newBlock(): number {
    return this.next++;
  }

  /** Tells words, in a new block where the kind changes; nothing for none. */
  say(kind: ProseKind, text: string, emit: Emit, { logprobs, isReport }: BesideProse = {}): void {
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

  /** Ends the block that is open, if one is. */
  end(emit: Emit): void {
    const { open } = this;
    this.open = undefined;
    if (open) emit({ type: `${open.kind}-end`, choice: 0, block: open.block });
  }
}

import type { Json, JsonObject } from '../../model/json.ts';
import { objectOf, textOf } from '../../model/json.ts';
import type { Emit } from '../../model/codec.ts';

const choice = 0;
type Kind = 'text' | 'reasoning';

/** Keeps the events of an answer balanced: one prose block is open at a time, tool calls lie beside each other. */
export class Blocks {
  private next = 0;
  private prose: { kind: Kind; block: number } | undefined;
  /** Open calls by their number on the wire. */
  private readonly calls = new Map<number, { block: number; hasInput: boolean }>();

  say(kind: Kind, words: string, emit: Emit, logprobs?: Json): void {
    if (words === '') return;
    if (this.prose?.kind !== kind) {
      this.closeProse(emit);
      this.prose = { kind, block: this.next++ };
      emit({ type: `${kind}-start`, choice, block: this.prose.block });
    }
    const { block } = this.prose;
    if (kind === 'reasoning') return emit({ type: 'reasoning-delta', choice, block, text: words });
    emit({ type: 'text-delta', choice, block, text: words, ...(logprobs !== undefined && { logprobs }) });
  }

  startCall(index: number, call: JsonObject, emit: Emit): void {
    this.closeProse(emit);
    this.endCall(index, emit);
    const block = this.next++;
    this.calls.set(index, { block, hasInput: false });
    const name = textOf(objectOf(call.function).name);
    emit({ type: 'tool-input-start', choice, block, id: textOf(call.id), name });
    this.addInput(index, call, emit);
  }

  addInput(index: number, call: JsonObject, emit: Emit): void {
    const open = this.calls.get(index);
    const text = textOf(objectOf(call.function).arguments);
    if (!open || text === '') return;
    open.hasInput = true;
    emit({ type: 'tool-input-delta', choice, block: open.block, text });
  }

  /** A tool without parameters is called without arguments, where others say that there are none. */
  endCall(index: number, emit: Emit): void {
    const open = this.calls.get(index);
    if (!open) return;
    this.calls.delete(index);
    const { block } = open;
    if (!open.hasInput) emit({ type: 'tool-input-delta', choice, block, text: '{}' });
    emit({ type: 'tool-input-end', choice, block });
  }

  closeProse(emit: Emit): void {
    if (!this.prose) return;
    const { kind, block } = this.prose;
    this.prose = undefined;
    emit({ type: `${kind}-end`, choice, block });
  }

  close(emit: Emit): void {
    this.closeProse(emit);
    for (const index of this.calls.keys()) this.endCall(index, emit);
  }
}

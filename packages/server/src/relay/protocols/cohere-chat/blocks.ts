import { type Json, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import type { Emit } from '../../types/index.ts';
import { Prose, type ProseKind } from '../../conversation/index.ts';

const choice = 0;

/** Keeps the events of an answer balanced: one prose block is open at a time, tool calls lie beside each other. */
export class Blocks {
  private readonly prose = new Prose();
  /** Open calls by their number on the wire. */
  private readonly calls = new Map<number, { block: number; hasInput: boolean }>();

  say(kind: ProseKind, words: string, emit: Emit, logprobs?: Json): void {
    this.prose.say(kind, words, emit, { logprobs });
  }

  startCall(index: number, call: JsonObject, emit: Emit): void {
    this.closeProse(emit);
    this.endCall(index, emit);
    const block = this.prose.newBlock();
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
    this.prose.end(emit);
  }

  close(emit: Emit): void {
    this.closeProse(emit);
    for (const index of this.calls.keys()) this.endCall(index, emit);
  }
}

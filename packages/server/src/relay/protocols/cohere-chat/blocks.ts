import { type Json, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import type { Emit } from '../../types/index.ts';
import { TextBlocks, type TextKind } from '../../conversation/index.ts';

const choice = 0;

/** Keeps the events of an answer balanced: one text block is open at a time, tool calls may overlap. */
export class Blocks {
  private readonly texts = new TextBlocks();
  /** Open calls by their number on the wire. */
  private readonly calls = new Map<number, { block: number; hasInput: boolean }>();

  /** A tool was called. */
  hasCalls = false;

  say(kind: TextKind, words: string, emit: Emit, logprobs?: Json): void {
    this.texts.write(kind, words, emit, { logprobs });
  }

  startCall(index: number, call: JsonObject, emit: Emit): void {
    this.closeText(emit);
    this.endCall(index, emit);
    const block = this.texts.newBlock();
    this.hasCalls = true;
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

  /** A call of a tool without parameters has no arguments here; other protocols write an empty object. */
  endCall(index: number, emit: Emit): void {
    const open = this.calls.get(index);
    if (!open) return;
    this.calls.delete(index);
    const { block } = open;
    if (!open.hasInput) emit({ type: 'tool-input-delta', choice, block, text: '{}' });
    emit({ type: 'tool-input-end', choice, block });
  }

  closeText(emit: Emit): void {
    this.texts.end(emit);
  }

  close(emit: Emit): void {
    this.closeText(emit);
    for (const index of this.calls.keys()) this.endCall(index, emit);
  }
}

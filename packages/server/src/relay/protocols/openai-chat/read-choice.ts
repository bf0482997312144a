import type { Citation, FinishReason, Emit, ProtocolId } from '../../types/index.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.ts';
import { endWithoutReason } from '../../conversation/index.ts';
import { readCitation } from './citation.ts';
import { thinkingText } from './inbound.ts';
import { proofOfCall, readThoughtList } from './thoughts.ts';

type TextKind = 'text' | 'refusal' | 'reasoning';

/** A tool call in progress. It is announced once its name is known; an interrupted call may never have one. */
interface OpenTool {
  block: number;
  id: string;
  name: string;
  announced: boolean;
}

/** Reads one of the answers (`n`) and keeps its events balanced. */
export class ChoiceReader {
  private readonly choice: number;
  private readonly blocks: { next: number };
  private openText: { kind: TextKind; block: number } | undefined;
  /** Reasoning is in the plain field; the list only repeats it. */
  private hasPlainThoughts = false;
  /** The signature of the open reasoning, and its signer. */
  private signed: { signature?: string; signer?: ProtocolId } = {};
  private readonly tools = new Map<number, OpenTool>();
  private hasCalls = false;
  private hasDeltas = false;
  private finished = false;
  /** The last finish reason, and the pages beside it. */
  private told: { reason: FinishReason; pages: readonly Citation[] } | undefined;

  /** `blocks` numbers the blocks of the whole answer. */
  constructor(choice: number, blocks: { next: number }) {
    this.choice = choice;
    this.blocks = blocks;
  }

  readDelta(delta: JsonObject, logprobs: Json | undefined, emit: Emit): void {
    this.hasDeltas = true;
    this.read(delta, logprobs, emit);
  }

  /** After deltas, a whole message only repeats them. */
  readMessage(message: JsonObject, logprobs: Json | undefined, emit: Emit): void {
    if (!this.hasDeltas) this.read(message, logprobs, emit);
  }

  private read(message: JsonObject, logprobs: Json | undefined, emit: Emit): void {
    const thoughts = textOf(message.reasoning_content) || textOf(message.reasoning);
    this.hasPlainThoughts ||= thoughts !== '';
    this.say('reasoning', thoughts, undefined, emit);
    this.readDetails(message.reasoning_details, emit);
    this.readContent(message.content, logprobs, emit);
    this.say('refusal', textOf(message.refusal), logprobs, emit);
    this.readMedia(message, emit);
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    calls.forEach((call, index) => {
      if (isObject(call)) this.readTool(call, index, emit);
    });
    if (isObject(message.function_call)) this.readTool({ function: message.function_call }, 0, emit);
  }

  /**
   * Stores the finish reason of the choice. The choice ends with the answer: some vendors send a reason in chunks
   * before the last.
   */
  note(reason: FinishReason, pages: readonly Citation[]): void {
    this.told = { reason, pages };
  }

  /** The answer is over. Without a reason only a whole answer is finished. */
  finish(isWhole: boolean, emit: Emit): void {
    if (this.finished) return;
    const { choice, told } = this;
    for (const citation of told?.pages ?? []) emit({ type: 'annotation', choice, citation });
    this.close(emit);
    this.finished = told !== undefined || isWhole;
    if (!this.finished) return;
    emit({ type: 'finish', choice, reason: told?.reason ?? endWithoutReason(this.hasCalls) });
  }

  /** Ends every open block. */
  close(emit: Emit): void {
    this.endText(emit);
    this.endTools(emit);
  }

  private readContent(content: Json | undefined, logprobs: Json | undefined, emit: Emit): void {
    if (!Array.isArray(content)) return this.say('text', textOf(content), logprobs, emit);
    for (const part of content) {
      if (!isObject(part)) continue;
      this.say('reasoning', thinkingText(part.thinking), undefined, emit);
      this.say('text', textOf(part.text), logprobs, emit);
    }
  }

  private say(kind: TextKind, words: string, logprobs: Json | undefined, emit: Emit): void {
    if (words === '' || this.finished) return;
    if (this.openText?.kind !== kind) {
      this.endText(emit);
      this.openText = { kind, block: this.blocks.next++ };
      emit({ type: `${kind}-start`, choice: this.choice, block: this.openText.block });
    }
    const { choice } = this;
    const { block } = this.openText;
    if (kind === 'reasoning') return emit({ type: 'reasoning-delta', choice, block, text: words });
    const type = kind === 'text' ? 'text-delta' : 'refusal-delta';
    if (logprobs === undefined) emit({ type, choice, block, text: words });
    else emit({ type, choice, block, text: words, logprobs });
  }

  private endText(emit: Emit): void {
    const { openText, signed, choice } = this;
    this.openText = undefined;
    if (!openText) return;
    const { kind, block } = openText;
    if (kind !== 'reasoning') return emit({ type: `${kind}-end`, choice, block });
    this.signed = {};
    emit({ type: 'reasoning-end', choice, block, ...signed });
  }

  /** Signatures of reasoning. The reasoning itself is also in the plain field, or only in the list. */
  private readDetails(details: Json | undefined, emit: Emit): void {
    for (const thought of readThoughtList(details)) {
      const { text: words, redacted, signature, signer } = thought;
      if (!this.hasPlainThoughts) this.say('reasoning', words, undefined, emit);
      if (signature !== undefined) this.signed = { signature, ...(signer && { signer }) };
      if (redacted === undefined) continue;
      this.endText(emit);
      const place = { choice: this.choice, block: this.blocks.next++ };
      emit({ type: 'reasoning-start', ...place });
      emit({ type: 'reasoning-end', ...place, redacted, ...(signer && { signer }) });
    }
  }

  private readMedia(message: JsonObject, emit: Emit): void {
    const { choice } = this;
    const annotations = Array.isArray(message.annotations) ? message.annotations : [];
    for (const annotation of annotations) {
      if (!isObject(annotation)) continue;
      const extra = { protocol: 'openai-chat' as const, fields: annotation };
      emit({ type: 'annotation', choice, citation: readCitation(annotation), extra });
    }
    const { audio, images } = message;
    if (isObject(audio)) {
      emit({
        type: 'file',
        choice,
        source: { kind: 'data', mediaType: 'audio', base64: textOf(audio.data) },
        ...(typeof audio.transcript === 'string' && { transcript: audio.transcript }),
        extra: { protocol: 'openai-chat', fields: { audio } },
      });
    }
    for (const image of Array.isArray(images) ? images : []) {
      const url = isObject(image) && isObject(image.image_url) ? textOf(image.image_url.url) : '';
      const extra = { protocol: 'openai-chat' as const, fields: { images: [image] } };
      if (url === '') continue;
      // An image is between two texts; other protocols do not allow one within a text.
      this.endText(emit);
      emit({ type: 'file', choice, source: { kind: 'url', url }, extra });
    }
  }

  private readTool(call: JsonObject, position: number, emit: Emit): void {
    if (this.finished) return;
    this.endText(emit);
    const index = typeof call.index === 'number' ? call.index : position;
    const inner = isObject(call.function) ? call.function : {};
    if (textOf(inner.name) !== '') this.proveCall(call, emit);
    const tool = this.toolAt(index, textOf(call.id), emit);
    tool.name ||= textOf(inner.name);
    if (!tool.announced && tool.name !== '') {
      tool.announced = true;
      this.hasCalls = true;
      emit({
        type: 'tool-input-start',
        choice: this.choice,
        block: tool.block,
        id: tool.id,
        name: tool.name,
      });
    }
    const input = isObject(inner.arguments) ? JSON.stringify(inner.arguments) : textOf(inner.arguments);
    if (tool.announced && input !== '') {
      emit({ type: 'tool-input-delta', choice: this.choice, block: tool.block, text: input });
    }
  }

  /** A signature precedes its call; vendors with signatures send whole calls, one by one. */
  private proveCall(call: JsonObject, emit: Emit): void {
    const signature = proofOfCall(call);
    if (signature === undefined) return;
    this.endTools(emit);
    const place = { choice: this.choice, block: this.blocks.next++ };
    emit({ type: 'reasoning-start', ...place });
    emit({ type: 'reasoning-end', ...place, signature, signer: 'openai-chat' });
  }

  /** The call at an index. Some vendors give every call the index 0; then the id decides. */
  private toolAt(index: number, id: string, emit: Emit): OpenTool {
    const open = this.tools.get(index);
    if (open && (id === '' || open.id === id)) return open;
    if (open) this.endTool(open, emit);
    const tool = { block: this.blocks.next++, id, name: '', announced: false };
    this.tools.set(index, tool);
    return tool;
  }

  private endTool(tool: OpenTool, emit: Emit): void {
    if (tool.announced) emit({ type: 'tool-input-end', choice: this.choice, block: tool.block });
  }

  private endTools(emit: Emit): void {
    for (const tool of this.tools.values()) this.endTool(tool, emit);
    this.tools.clear();
  }
}

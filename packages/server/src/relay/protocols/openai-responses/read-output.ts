import type { Emit } from '../../types/index.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { readCitation, Sources } from './citation.ts';
import { wrapInput } from './custom-tools.ts';
import { callOf } from './hosted/read-call.ts';

type TextKind = 'text' | 'refusal' | 'reasoning';

/** A text block in progress. `key` is the name of its part of the item. */
interface OpenText {
  kind: TextKind;
  key: string;
  block: number;
}

interface OpenTool {
  block: number;
  hasInput: boolean;
}

/**
 * Follows the output items of a response and keeps their events balanced. Some vendors send less in deltas and more
 * when a part or an item is done; the missing text is then emitted.
 */
export class OutputReader {
  /** A function was called: the caller must answer it. */
  hasCalls = false;
  private blocks = 0;
  private openText: OpenText | undefined;
  private readonly tools = new Map<number, OpenTool>();
  /** Reasoning items, by their place. */
  private readonly thoughts = new Set<number>();
  /** Parts with text from deltas. */
  private readonly streamed = new Set<string>();
  private readonly annotated = new Set<number>();
  private readonly done = new Set<number>();
  /** Indexes of items in the stream; Perplexity numbers them differently in the final response. */
  private readonly places = new Map<string, number>();
  private readonly sources = new Sources();
  private summaryPart = 0;

  text(
    kind: 'text' | 'refusal',
    item: number,
    part: number,
    words: string,
    emit: Emit,
    logprobs?: Json,
  ): void {
    if (words === '') return;
    const { block } = this.open(kind, `${item}.${part}`, emit);
    const content = Array.isArray(logprobs) && logprobs.length > 0 ? { logprobs: { content: logprobs } } : {};
    emit({ type: `${kind}-delta`, choice: 0, block, text: words, ...content });
  }

  /** Reasoning, or its summary, which arrives in parts: they are one block, separated by a blank line. */
  reasoning(item: number, part: number, words: string, emit: Emit): void {
    if (words === '') return;
    const isNewPart = this.openText?.key === `${item}` && this.summaryPart !== part;
    this.summaryPart = part;
    const { block } = this.open('reasoning', `${item}`, emit);
    emit({ type: 'reasoning-delta', choice: 0, block, text: isNewPart ? `\n\n${words}` : words });
  }

  /** An item begins; calls are announced. */
  add(index: number, item: JsonObject, emit: Emit): void {
    const id = textOf(item.id);
    if (id !== '' && !this.places.has(id)) this.places.set(id, index);
    if (kindOf(item) === 'reasoning') this.thoughts.add(index);
    if (!isCall(item) || this.tools.has(index) || this.done.has(index)) return;
    this.endText(emit);
    this.hasCalls = true;
    const tool = { block: this.blocks++, hasInput: false };
    this.tools.set(index, tool);
    const callId = textOf(item.call_id) || id;
    emit({ type: 'tool-input-start', choice: 0, block: tool.block, id: callId, name: textOf(item.name) });
  }

  /** The type of a delta without one, by its item. */
  deltaOf(event: JsonObject): string {
    if (this.tools.has(itemOf(event))) return 'response.function_call_arguments.delta';
    const isThought = event.summary_index !== undefined || this.thoughts.has(itemOf(event));
    return isThought ? 'response.reasoning_text.delta' : 'response.output_text.delta';
  }

  input(index: number, words: string, emit: Emit): void {
    const tool = this.tools.get(index);
    if (!tool || words === '') return;
    tool.hasInput = true;
    emit({ type: 'tool-input-delta', choice: 0, block: tool.block, text: words });
  }

  annotation(index: number, annotation: JsonObject, emit: Emit): void {
    this.annotated.add(index);
    this.cite(annotation, emit);
  }

  /** Pages that a search found, before any text about them. */
  found(results: readonly JsonObject[]): void {
    this.sources.add(results);
  }

  /** Adds the pages that no annotation names. */
  emitSources(emit: Emit): void {
    for (const citation of this.sources.take()) emit({ type: 'annotation', choice: 0, citation });
  }

  /** An item of a whole response. */
  list(index: number, item: JsonObject, emit: Emit): void {
    this.finish(this.places.get(textOf(item.id)) ?? index, item, emit);
  }

  /** An item is complete: emits the text that was not in its deltas. */
  finish(index: number, item: JsonObject, emit: Emit): void {
    // Its pages are sources of the message, under any number.
    if (item.type === 'search_results') return this.found(objectsIn(item.results));
    if (this.done.has(index)) return;
    const kind = kindOf(item);
    if (kind === 'message') this.finishMessage(index, item, emit);
    else if (kind === 'reasoning') this.finishReasoning(index, item, emit);
    else if (kind === 'other') this.finishOther(item, emit);
    else this.finishCall(index, item, emit);
    this.done.add(index);
  }

  /** Ends every open block. */
  close(emit: Emit): void {
    this.endText(emit);
    for (const { block } of this.tools.values()) emit({ type: 'tool-input-end', choice: 0, block });
    this.tools.clear();
  }

  private open(kind: TextKind, key: string, emit: Emit): OpenText {
    this.streamed.add(key);
    if (this.openText?.kind === kind && this.openText.key === key) return this.openText;
    this.endText(emit);
    this.openText = { kind, key, block: this.blocks++ };
    emit({ type: `${kind}-start`, choice: 0, block: this.openText.block });
    return this.openText;
  }

  private endText(emit: Emit, signature?: string): void {
    const { openText } = this;
    this.openText = undefined;
    if (!openText) return;
    const signed = signature === undefined ? {} : { signature, signer: 'openai-responses' as const };
    emit({ type: `${openText.kind}-end`, choice: 0, block: openText.block, ...signed });
  }

  private finishMessage(index: number, item: JsonObject, emit: Emit): void {
    objectsIn(item.content).forEach((part, at) => {
      const kind = typeof part.refusal === 'string' ? 'refusal' : 'text';
      if (!this.streamed.has(`${index}.${at}`)) {
        this.text(kind, index, at, textOf(part.text) || textOf(part.refusal), emit, part.logprobs);
      }
      if (this.annotated.has(index)) return;
      for (const annotation of objectsIn(part.annotations)) this.cite(annotation, emit);
    });
    this.emitSources(emit);
    this.endText(emit);
  }

  private cite(annotation: JsonObject, emit: Emit): void {
    const extra = { protocol: 'openai-responses' as const, fields: annotation };
    const citation = readCitation(annotation);
    this.sources.cited(citation);
    emit({ type: 'annotation', choice: 0, citation, extra });
  }

  private finishReasoning(index: number, item: JsonObject, emit: Emit): void {
    if (!this.streamed.has(`${index}`)) {
      const parts = [...objectsIn(item.summary), ...objectsIn(item.content)];
      parts.forEach((part, at) => this.reasoning(index, at, textOf(part.text), emit));
    }
    const signature = textOf(item.encrypted_content);
    if (signature !== '' && this.openText?.key !== `${index}`) this.open('reasoning', `${index}`, emit);
    this.endText(emit, signature === '' ? undefined : signature);
  }

  private finishCall(index: number, item: JsonObject, emit: Emit): void {
    this.add(index, item, emit);
    const tool = this.tools.get(index);
    if (!tool) return;
    const input = typeof item.input === 'string' ? wrapInput(item.input) : textOf(item.arguments);
    if (!tool.hasInput) this.input(index, input, emit);
    this.tools.delete(index);
    emit({ type: 'tool-input-end', choice: 0, block: tool.block });
  }

  /** All protocols have pictures; some hosted tools have a form in other protocols. */
  private finishOther(item: JsonObject, emit: Emit): void {
    this.endText(emit);
    const extra = { protocol: 'openai-responses' as const, fields: item };
    if (item.type === 'image_generation_call' && typeof item.result === 'string') {
      const mediaType = `image/${textOf(item.output_format) || 'png'}`;
      emit({ type: 'file', choice: 0, source: { kind: 'data', mediaType, base64: item.result }, extra });
      return;
    }
    if (!isObject(item)) return;
    const call = callOf(item);
    emit({ type: 'other', choice: 0, ...(call && { call }), extra });
  }
}

/** The type of an item. An unknown or missing type is derived from the fields. */
export function kindOf(item: JsonObject): 'message' | 'reasoning' | 'call' | 'other' {
  const type = textOf(item.type);
  if (type === 'message' || type === 'reasoning') return type;
  if (type === 'function_call' || type === 'custom_tool_call') return 'call';
  // The vendor's own tools are recognised by their names.
  if (/_(call|calls|call_output|tools|request|results|response|output)$/.test(type)) return 'other';
  if (Array.isArray(item.summary)) return 'reasoning';
  if (Array.isArray(item.content)) return 'message';
  return textOf(item.call_id) !== '' && textOf(item.name) !== '' ? 'call' : 'other';
}
const isCall = (item: JsonObject): boolean => kindOf(item) === 'call';

/** The item and part of an event. */
export const itemOf = (event: JsonObject): number =>
  typeof event.output_index === 'number' ? event.output_index : 0;
export const partOf = (event: JsonObject): number => {
  const index = event.content_index ?? event.summary_index;
  return typeof index === 'number' ? index : 0;
};
export const itemIn = (event: JsonObject): JsonObject => objectOf(event.item);

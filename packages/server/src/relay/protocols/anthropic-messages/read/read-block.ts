import type { Citation, Emit } from '../../../types/index.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../../../lib/json.ts';
import { readSignature } from '../../../conversation/index.ts';
import type { HostedCalls } from './hosted-calls.ts';

const own = 'anthropic-messages';
const choice = 0;

type Kind = 'text' | 'reasoning' | 'redacted' | 'tool' | 'other';
const kinds: ReadonlyMap<string, Kind> = new Map([
  ['text', 'text'],
  ['thinking', 'reasoning'],
  ['redacted_thinking', 'redacted'],
  ['tool_use', 'tool'],
  ['server_tool_use', 'other'],
  ['mcp_tool_use', 'other'],
]);

/** The type of a block. An unknown or missing type is derived from the fields. */
function kindOf({ type, thinking, data, text, id, name, input }: JsonObject): Kind {
  const known = kinds.get(textOf(type));
  if (known) return known;
  if (typeof thinking === 'string') return 'reasoning';
  if (typeof data === 'string') return 'redacted';
  if (typeof text === 'string') return 'text';
  const isCall = isObject(input) && textOf(name) !== '' && !/^(srv|mcp)/.test(textOf(id));
  return isCall ? 'tool' : 'other';
}

/** Follows one content block from its start to its end; a whole block is one without deltas. */
export class BlockReader {
  private readonly content: JsonObject;
  private readonly block: number;
  private readonly calls: HostedCalls;
  private readonly kind: Kind;
  private signature: string;
  /** JSON text of a tool's input, as received in pieces so far. */
  private input = '';

  constructor(content: JsonObject, block: number, calls: HostedCalls, emit: Emit) {
    this.content = content;
    this.block = block;
    this.calls = calls;
    this.kind = kindOf(content);
    this.signature = textOf(content.signature);
    this.start(emit);
  }

  /** True for a call of the caller's own tool. */
  get isCall(): boolean {
    return this.kind === 'tool';
  }

  private start(emit: Emit): void {
    const { content, block } = this;
    if (this.kind === 'text') {
      emit({ type: 'text-start', choice, block });
      this.say('text', textOf(content.text), emit);
      for (const citation of Array.isArray(content.citations) ? content.citations : [])
        this.cite(citation, emit);
    } else if (this.kind === 'reasoning') {
      emit({ type: 'reasoning-start', choice, block });
      this.say('reasoning', textOf(content.thinking), emit);
    } else if (this.kind === 'redacted') emit({ type: 'reasoning-start', choice, block });
    else if (this.kind === 'tool') {
      emit({ type: 'tool-input-start', choice, block, id: textOf(content.id), name: textOf(content.name) });
    }
  }

  delta(delta: JsonObject, emit: Emit): void {
    // Each kind has its own field, which is more reliable than a possibly new type.
    this.say('text', textOf(delta.text), emit);
    this.say('reasoning', textOf(delta.thinking), emit);
    this.signature += textOf(delta.signature);
    this.addInput(textOf(delta.partial_json), emit);
    this.cite(delta.citation, emit);
  }

  end(emit: Emit): void {
    const { block, content } = this;
    if (this.kind === 'text') emit({ type: 'text-end', choice, block });
    else if (this.kind === 'reasoning') emit({ type: 'reasoning-end', choice, block, ...this.signed() });
    else if (this.kind === 'redacted') {
      const { signature, signer } = readSignature(textOf(content.data), own);
      emit({ type: 'reasoning-end', choice, block, redacted: signature, signer });
    } else if (this.kind === 'tool') {
      if (this.input === '') this.addInput(JSON.stringify(content.input ?? {}), emit);
      emit({ type: 'tool-input-end', choice, block });
    } else this.endOther(emit);
  }

  private endOther(emit: Emit): void {
    const fields = this.whole();
    const call = this.calls.read(fields);
    emit({ type: 'other', choice, ...(call && { call }), extra: { protocol: own, fields } });
  }

  private signed(): { signature?: string; signer?: ReturnType<typeof readSignature>['signer'] } {
    return this.signature === '' ? {} : readSignature(this.signature, own);
  }

  /** A block of the vendor's own tools with the input that arrived in pieces. */
  private whole(): JsonObject {
    if (this.input === '') return this.content;
    try {
      return { ...this.content, input: JSON.parse(this.input) as Json };
    } catch {
      return this.content;
    }
  }

  private say(kind: 'text' | 'reasoning', words: string, emit: Emit): void {
    if (words === '' || this.kind !== kind) return;
    emit({ type: `${kind}-delta`, choice, block: this.block, text: words });
  }

  private addInput(piece: string, emit: Emit): void {
    if (piece === '') return;
    this.input += piece;
    if (this.kind === 'tool') emit({ type: 'tool-input-delta', choice, block: this.block, text: piece });
  }

  private cite(citation: Json | undefined, emit: Emit): void {
    if (!isObject(citation)) return;
    emit({
      type: 'annotation',
      choice,
      citation: readCitation(citation),
      extra: { protocol: own, fields: citation },
    });
  }
}

/** A citation in neutral form, as far as possible; places in documents have no address. */
export function readCitation(citation: JsonObject): Citation {
  const url = textOf(citation.url) || textOf(citation.source);
  const title = textOf(citation.title) || textOf(citation.document_title);
  const citedText = textOf(citation.cited_text);
  return {
    ...(url !== '' && { url }),
    ...(title !== '' && { title }),
    ...(citedText !== '' && { citedText }),
  };
}

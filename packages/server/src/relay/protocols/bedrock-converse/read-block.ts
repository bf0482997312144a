import type { Citation, Source, Emit } from '../../types/index.ts';
import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';

const own = 'bedrock-converse';
const choice = 0;

/** Follows one content block from its first event to its end. Blocks of text and reasoning begin with a delta. */
export class BlockReader {
  private readonly block: number;
  private kind: 'text' | 'reasoning' | 'tool' | 'image' | 'none' | undefined;
  private signature = '';
  private redacted: string | undefined;
  private input = '';
  private format = '';
  private image = '';

  constructor(block: number) {
    this.block = block;
  }

  get isText(): boolean {
    return this.kind === 'text';
  }

  /** `start` of a `contentBlockStart`. Runs of the vendor's own tools are not calls for the caller. */
  start(start: JsonObject, emit: Emit): void {
    const { toolUse, image } = start;
    if (isObject(toolUse)) {
      if (toolUse.type === 'server_tool_use') {
        this.kind = 'none';
        return;
      }
      this.kind = 'tool';
      const [id, name] = [textOf(toolUse.toolUseId), textOf(toolUse.name)];
      emit({ type: 'tool-input-start', choice, block: this.block, id, name });
    } else if (isObject(image)) {
      this.kind = 'image';
      this.format = textOf(image.format);
    } else if (start.toolResult !== undefined) this.kind = 'none';
  }

  delta(delta: JsonObject, emit: Emit): void {
    const { text, reasoningContent, toolUse, citation, image } = delta;
    if (typeof text === 'string') this.say('text', text, emit);
    if (isObject(reasoningContent)) this.think(reasoningContent, emit);
    if (isObject(toolUse)) this.addInput(textOf(toolUse.input), emit);
    if (isObject(citation)) this.cite(citation, emit);
    if (isObject(image)) this.image += textOf(objectOf(image.source).bytes);
  }

  /** Reasoning, its signature, or reasoning that the vendor hides. */
  private think(content: JsonObject, emit: Emit): void {
    this.say('reasoning', textOf(content.text), emit);
    const signature = textOf(content.signature);
    const redacted = textOf(content.redactedContent);
    if (signature === '' && redacted === '') return;
    this.open('reasoning', emit);
    this.signature += signature;
    if (redacted !== '') this.redacted = (this.redacted ?? '') + redacted;
  }

  /** JSON text of a tool's input, or a piece of it. */
  private addInput(piece: string, emit: Emit): void {
    if (piece === '' || this.kind !== 'tool') return;
    this.input += piece;
    emit({ type: 'tool-input-delta', choice, block: this.block, text: piece });
  }

  /** A source. It belongs to a text that may continue. */
  private cite(citation: JsonObject, emit: Emit): void {
    this.open('text', emit);
    emit({
      type: 'annotation',
      choice,
      citation: readCitation(citation),
      extra: { protocol: own, fields: citation },
    });
  }

  end(emit: Emit): void {
    const { block, kind } = this;
    this.kind = 'none';
    if (kind === 'text') emit({ type: 'text-end', choice, block });
    else if (kind === 'reasoning') emit({ type: 'reasoning-end', choice, block, ...this.signatureFields() });
    else if (kind === 'tool') {
      if (this.input === '') emit({ type: 'tool-input-delta', choice, block, text: '{}' });
      emit({ type: 'tool-input-end', choice, block });
    } else if (kind === 'image' && this.image !== '') {
      emit({ type: 'file', choice, source: imageSource(this.format, this.image) });
    }
  }

  private say(kind: 'text' | 'reasoning', words: string, emit: Emit): void {
    if (words === '') return;
    this.open(kind, emit);
    if (this.kind === kind) emit({ type: `${kind}-delta`, choice, block: this.block, text: words });
  }

  private open(kind: 'text' | 'reasoning', emit: Emit): void {
    if (this.kind !== undefined) return;
    this.kind = kind;
    emit({ type: `${kind}-start`, choice, block: this.block });
  }

  private signatureFields(): { signature?: string; redacted?: string; signer?: 'bedrock-converse' } {
    if (this.redacted !== undefined) return { redacted: this.redacted, signer: own };
    return this.signature === '' ? {} : { signature: this.signature, signer: own };
  }
}

/** A picture that a model made. */
const imageSource = (format: string, base64: string): Source => ({
  kind: 'data',
  mediaType: `image/${format || 'png'}`,
  base64,
});

/** A citation in neutral form, as far as possible; its places are in a document of the request, not in the answer. */
function readCitation(citation: JsonObject): Citation {
  const { location, title, source, sourceContent } = citation;
  const url = textOf(objectOf(objectOf(location).web).url) || (/^https?:/.exec(textOf(source))?.input ?? '');
  const citedText = objectsIn(sourceContent)
    .map(({ text }) => textOf(text))
    .join('');
  return {
    ...(url !== '' && { url }),
    ...(textOf(title) !== '' && { title: textOf(title) }),
    ...(citedText !== '' && { citedText }),
  };
}

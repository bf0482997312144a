import { untranslatable } from '@tollgate/contract/relay-errors';
import type { Message, Part, RequestContext } from '../../../types/index.ts';
import { cannotTranslate, ownFields, fetchedSource } from '../../../conversation/index.ts';
import { type JsonObject, parseObject } from '../../../../lib/json.ts';
import { placeholderSignature } from '../own-signatures.ts';
import { writeSource } from '../source.ts';

const own = 'gemini';
type OfType<T extends Part['type']> = Extract<Part, { type: T }>;

/** The system's words wherever they stand, as one instruction; undefined when there are none. */
export function writeSystem(messages: readonly Message[]): JsonObject | undefined {
  const texts = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .filter((text) => text !== '');
  return texts.length === 0 ? undefined : { parts: [{ text: texts.join('\n') }] };
}

/** The conversation. Turns of the same side are one: the results of calls must stand together. */
export function writeContents(messages: readonly Message[], context: RequestContext): JsonObject[] {
  const names = callNames(messages);
  const contents: { role: string; parts: JsonObject[] }[] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') continue;
    if (message.name !== undefined) context.drop('name');
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = new PartsWriter(context, names).write(message.parts);
    if (parts.length === 0) continue;
    const last = contents.at(-1);
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else contents.push({ role, parts });
  }
  return contents.map(({ role, parts }) => ({ role, parts }));
}

/** Names of the calls by their ids: a result must name its function. */
function callNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === 'tool-call') names.set(part.id, part.name);
  }
  return names;
}

/** Writes the parts of one message; signatures of thoughts are on the part after them. */
class PartsWriter {
  private readonly context: RequestContext;
  private readonly names: ReadonlyMap<string, string>;
  private signature: string | undefined;
  private hasCall = false;

  constructor(context: RequestContext, names: ReadonlyMap<string, string>) {
    this.context = context;
    this.names = names;
  }

  write(parts: readonly Part[]): JsonObject[] {
    const written = parts.flatMap((part) => this.writePart(part));
    if (this.signature !== undefined) written.push({ text: '', thoughtSignature: this.signature });
    return written;
  }

  private writePart(part: Part): JsonObject[] {
    switch (part.type) {
      case 'text':
        ownFields(part.extra, own, this.context);
        return part.text === '' ? [] : [{ text: part.text }];
      case 'refusal':
        return [{ text: part.text }];
      case 'reasoning':
        return this.writeThoughts(part);
      case 'tool-call':
        return [this.writeCall(part)];
      case 'tool-result':
        return [this.writeResult(part)];
      case 'other': {
        const fields = ownFields(part.extra, own, this.context);
        return Object.keys(fields).length > 0 ? [fields] : [];
      }
      default:
        return [this.writeMedia(part)];
    }
  }

  private writeMedia(part: OfType<'image' | 'audio' | 'file'>): JsonObject {
    const { mimeType } = ownFields(part.extra, own, this.context);
    const source = fetchedSource(part.source, this.context.files);
    if (source.kind === 'id' && source.owner !== own) throw cannotTranslate(untranslatable.foreign_file, own);
    return writeSource(source, typeof mimeType === 'string' ? mimeType : undefined);
  }

  /** Thoughts are given back to the vendor who can prove them; for any other they are nothing. */
  private writeThoughts({ text, signature, signer }: OfType<'reasoning'>): JsonObject[] {
    if (signature === undefined || signer !== own) {
      this.context.drop('reasoning');
      return [];
    }
    const before = this.signature === undefined ? [] : [{ text: '', thoughtSignature: this.signature }];
    this.signature = signature;
    return text === '' ? before : [...before, { text, thought: true }];
  }

  private writeCall({ id, name, input }: OfType<'tool-call'>): JsonObject {
    const isFirst = !this.hasCall;
    this.hasCall = true;
    // Of parallel calls the first has the signature of all.
    const standIn = isFirst ? placeholderSignature(this.context.model) : undefined;
    const placed = this.signature ?? standIn;
    this.signature = undefined;
    const args = parseObject(input) ?? {};
    return { functionCall: { id, name, args }, ...(placed !== undefined && { thoughtSignature: placed }) };
  }

  private writeResult({ id, name, parts, isError }: OfType<'tool-result'>): JsonObject {
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const media = parts.flatMap((part) =>
      part.type === 'image' || part.type === 'audio' || part.type === 'file' ? [this.writeMedia(part)] : [],
    );
    const response = isError ? { error: text } : (parseObject(text) ?? { output: text });
    return {
      functionResponse: {
        id,
        name: name ?? this.names.get(id) ?? id,
        response,
        ...(media.length > 0 && { parts: media }),
      },
    };
  }
}

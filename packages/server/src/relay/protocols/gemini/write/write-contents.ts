import { untranslatable } from '@tollgate/contract/relay-errors';
import type { Message, Part, RequestContext } from '../../../types/index.ts';
import { cannotTranslate, ownFields, fetchedSource } from '../../../conversation/index.ts';
import { parseExactObject } from '../../../../lib/exact-numbers.ts';
import { isObject, type JsonObject, textOf } from '../../../../lib/json.ts';
import { isThirdGeneration as takesFiles, placeholderSignature } from '../own-signatures.ts';
import { writeSource } from '../source.ts';

const own = 'gemini';
type OfType<T extends Part['type']> = Extract<Part, { type: T }>;

/** All system messages as one instruction; undefined if there are none. */
export function writeSystem(messages: readonly Message[]): JsonObject | undefined {
  const texts = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .filter((text) => text !== '');
  return texts.length === 0 ? undefined : { parts: [{ text: texts.join('\n') }] };
}

/** The conversation. Consecutive turns of one side are joined, because results of calls must be together. */
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
  // The first turn must be the user's; an empty turn is `...`, as in Messages.
  if (contents[0]?.role !== 'user') contents.unshift({ role: 'user', parts: [{ text: '...' }] });
  return contents;
}

/** Names of the calls by their ids: a result must name its function. */
function callNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === 'tool-call') names.set(part.id, part.name);
  }
  return names;
}

/** Files that a result may hold (ai.google.dev/gemini-api/docs/function-calling); all others follow after it. */
const taken = /^(image\/(png|jpeg|webp)|application\/pdf|text\/plain)$/;
const isTakenInside = ({ inlineData }: JsonObject): boolean =>
  isObject(inlineData) && taken.test(textOf(inlineData.mimeType));

/** Writes the parts of one message; signatures of reasoning are on the part after it. */
class PartsWriter {
  private readonly context: RequestContext;
  private readonly names: ReadonlyMap<string, string>;
  private signature: string | undefined;
  private hasCall = false;
  /** Media of results, for models that accept no files in them. */
  private readonly shown: JsonObject[] = [];

  constructor(context: RequestContext, names: ReadonlyMap<string, string>) {
    this.context = context;
    this.names = names;
  }

  write(parts: readonly Part[]): JsonObject[] {
    const written = parts.flatMap((part) => this.writePart(part));
    written.push(...this.shown);
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

  /** Reasoning is sent only to the vendor that can verify it. */
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
    const args = parseExactObject(input) ?? {};
    return { functionCall: { id, name, args }, ...(placed !== undefined && { thoughtSignature: placed }) };
  }

  private writeResult({ id, name, parts, isError }: OfType<'tool-result'>): JsonObject {
    const texts: string[] = [];
    const inside: JsonObject[] = [];
    const beside: JsonObject[] = [];
    for (const part of parts) {
      for (const written of this.writePart(part)) {
        if (typeof written.text === 'string') texts.push(written.text);
        else if (takesFiles(this.context.model) && isTakenInside(written)) inside.push(written);
        else beside.push(written);
      }
    }
    if (beside.length > 0) this.shown.push({ text: `Result of the tool call ${id}:` }, ...beside);
    const text = texts.join('\n');
    const response = isError ? { error: text } : (parseExactObject(text) ?? { output: text });
    return {
      functionResponse: {
        id,
        name: name ?? this.names.get(id) ?? id,
        response,
        ...(inside.length > 0 && { parts: inside }),
      },
    };
  }
}

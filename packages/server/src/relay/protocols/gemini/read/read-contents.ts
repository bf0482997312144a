import type { Message, Part } from '../../../types/index.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../../lib/json.ts';
import { field } from '../fields.ts';
import { readThoughtSignature } from '../signature.ts';
import { mediaTypeOf, readSource } from '../source.ts';

const own = 'gemini';

/** Calls of earlier turns without an answer: older clients name the function and not the call. */
class OpenCalls {
  private count = 0;
  private readonly open = new Set<string>();
  /** Ids by the name of their function, and the number of ids that were examined. */
  private readonly byName = new Map<string, { ids: string[]; at: number }>();

  /** The id of a call; a call without one gets a new id. */
  add(given: string, name: string): string {
    const id = given || `call_${this.count}_${name}`;
    this.count += 1;
    this.open.add(id);
    const same = this.byName.get(name);
    if (same) same.ids.push(id);
    else this.byName.set(name, { ids: [id], at: 0 });
    return id;
  }

  /** The id of the answered call: the given one, otherwise the oldest with that name. */
  answered(given: string, name: string): string {
    if (given !== '') {
      this.open.delete(given);
      return given;
    }
    const same = this.byName.get(name);
    while (same && same.at < same.ids.length) {
      const id = same.ids[same.at++]!;
      if (this.open.delete(id)) return id;
    }
    return `call_${name}`;
  }
}

/** Reads `contents` into messages. Results of functions become separate messages before the user's content. */
export function readContents(contents: Json | undefined): Message[] {
  const calls = new OpenCalls();
  return objectsIn(contents).flatMap((content) => readContent(content, calls));
}

/** The system instruction: a text, a part, or a content. */
export function readSystem(instruction: Json | undefined): Message[] {
  if (typeof instruction === 'string') return instruction === '' ? [] : [system(instruction)];
  const content = objectOf(instruction);
  const texts =
    content.parts === undefined ? [textOf(content.text)] : partsOf(content).map(({ text }) => textOf(text));
  const words = texts.filter((text) => text !== '');
  return words.length === 0 ? [] : [{ role: 'system', parts: words.map((text) => ({ type: 'text', text })) }];
}

const system = (text: string): Message => ({ role: 'system', parts: [{ type: 'text', text }] });

/** `parts` may be a single one. */
const partsOf = (content: JsonObject): JsonObject[] =>
  isObject(content.parts) ? [content.parts] : objectsIn(content.parts);

function readContent(content: JsonObject, calls: OpenCalls): Message[] {
  const results: Message[] = [];
  const parts: Part[] = [];
  for (const part of partsOf(content)) {
    const response = field(part, 'functionResponse');
    if (isObject(response)) results.push({ role: 'tool', parts: [readResult(response, calls)] });
    else readPart(part, parts, calls);
  }
  if (parts.length === 0) return results;
  return [...results, { role: content.role === 'model' ? 'assistant' : 'user', parts }];
}

function readPart(part: JsonObject, parts: Part[], calls: OpenCalls): void {
  const signature = textOf(field(part, 'thoughtSignature'));
  const call = field(part, 'functionCall');
  if (part.thought === true) {
    const signed = signature === '' ? {} : readThoughtSignature(signature);
    parts.push({ type: 'reasoning', text: textOf(part.text), ...signed });
    return;
  }
  // The signature of a call is on the call; in neutral form it belongs to the reasoning before it.
  if (isObject(call)) {
    if (signature !== '') sign(parts, signature);
    parts.push(readCall(call, calls));
    return;
  }
  const read = readOther(part);
  if (read) parts.push(read);
  if (signature !== '') parts.push({ type: 'reasoning', text: '', ...readThoughtSignature(signature) });
}

function sign(parts: Part[], signature: string): void {
  const last = parts.at(-1);
  const signed = readThoughtSignature(signature);
  if (last?.type === 'reasoning' && last.signature === undefined) Object.assign(last, signed);
  else parts.push({ type: 'reasoning', text: '', ...signed });
}

function readOther(part: JsonObject): Part | undefined {
  if (typeof part.text === 'string') return part.text === '' ? undefined : { type: 'text', text: part.text };
  const inline = field(part, 'inlineData');
  const file = field(part, 'fileData');
  if (!isObject(inline) && !isObject(file)) return { type: 'other', extra: { protocol: own, fields: part } };
  const source = readSource(part);
  const mediaType = mediaTypeOf(objectOf(inline ?? file));
  const extra =
    source.kind === 'data' ? {} : { extra: { protocol: own as 'gemini', fields: { mimeType: mediaType } } };
  if (mediaType.startsWith('image/')) return { type: 'image', source, ...extra };
  if (mediaType.startsWith('audio/')) return { type: 'audio', source, ...extra };
  const name = field(objectOf(inline ?? file), 'displayName');
  return { type: 'file', source, ...(typeof name === 'string' && { name }), ...extra };
}

function readCall(call: JsonObject, calls: OpenCalls): Part {
  const name = textOf(call.name);
  const id = calls.add(textOf(call.id), name);
  return { type: 'tool-call', id, name, input: JSON.stringify(call.args ?? {}) };
}

function readResult(result: JsonObject, calls: OpenCalls): Part {
  const name = textOf(result.name);
  const response = objectOf(result.response);
  const isError = response.error !== undefined && Object.keys(response).length === 1;
  const words = isError ? response.error : onlyOutput(response);
  const text = typeof words === 'string' ? words : JSON.stringify(words);
  const media = objectsIn(result.parts).flatMap((part) => readOther(part) ?? []);
  return {
    type: 'tool-result',
    id: calls.answered(textOf(result.id), name),
    name,
    parts: [{ type: 'text', text }, ...media],
    isError,
  };
}

/** `output` is Google's member for a result that is not an object. */
const onlyOutput = (response: JsonObject): Json =>
  response.output !== undefined && Object.keys(response).length === 1 ? response.output : response;

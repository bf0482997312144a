import type { Part, RequestContext, ProtocolId } from '../types/index.ts';
import { ownFields } from './untranslatable.ts';
import { sha256 } from '../../lib/hash.ts';
import { parseExact } from '../../lib/exact-numbers.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../lib/json.ts';

/**
 * The arguments of a call as an object, for protocols that take nothing else; numbers keep their text. What a model wrote
 * badly is given as text.
 */
export function toolInput(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value = parseExact(text);
    return isObject(value) ? value : { value };
  } catch {
    return { invalid_json: text };
  }
}

/** How a protocol in which only text may stand in a tool's result writes its parts. */
interface ResultWriter {
  own: ProtocolId;
  /** The id of a call as the protocol takes it. */
  idOf: (id: string) => string;
  /** A piece of a result as content parts of the user, texts as `{type: 'text', text}`. */
  writePart: (part: Part, context: RequestContext) => JsonObject[];
  /** Content of the result itself: at least one text unless it is empty. */
  writeContent: (texts: readonly string[], isError: boolean) => Json;
}

/**
 * Results of tools as messages of the role `tool`, one each. Only text may stand in them, so what else there is follows
 * behind all of them as the user's words.
 */
export function writeToolMessages(
  parts: readonly Part[],
  { own, idOf, writePart, writeContent }: ResultWriter,
  context: RequestContext,
): JsonObject[] {
  const messages: JsonObject[] = [];
  const shown: JsonObject[] = [];
  for (const part of parts) {
    if (part.type !== 'tool-result') continue;
    ownFields(part.extra, own, context);
    const id = idOf(part.id);
    const written = part.parts.flatMap((each) => writePart(each, context));
    const texts = written.filter(({ type }) => type === 'text').map(({ text }) => textOf(text));
    const others = written.filter(({ type }) => type !== 'text');
    if (others.length > 0) {
      shown.push({ type: 'text', text: `Result of the tool call ${id}:` }, ...others);
      if (texts.length === 0) texts.push('(see the next message)');
    }
    messages.push({ role: 'tool', tool_call_id: id, content: writeContent(texts, part.isError) });
  }
  return shown.length === 0 ? messages : [...messages, { role: 'user', content: shown }];
}

/** What a search for tools found, for models that know such a search only as a function. */
export const foundTool = (name: string): string => `Found the tool ${name}, which can be called now.`;

const markLength = 8;

/**
 * The id of a call for a vendor who takes only letters, digits, `_` and `-`, and so many of them. An id of another vendor
 * that is not such becomes one that is always the same for it and for no other.
 */
export function callId(id: string, most: number): string {
  const plain = id.replace(/[^\w-]/g, '_');
  if (plain === id && id.length <= most && id !== '') return id;
  return `${plain.slice(0, most - markLength - 1)}_${sha256(id).slice(0, markLength)}`;
}

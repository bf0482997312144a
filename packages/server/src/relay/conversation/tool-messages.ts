import type { Part, RequestContext, ProtocolId } from '../types/index.ts';
import { ownFields } from './untranslatable.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../lib/json.ts';

/**
 * The arguments of a call as an object, for vendors who take nothing else; what a model wrote badly is given as text.
 */
export function toolInput(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : { value };
  } catch {
    return { invalid_json: text };
  }
}

/** How a protocol in which only text may stand in a tool's result writes its parts. */
interface ResultWriter {
  own: ProtocolId;
  /** A piece of a result as content parts of the user, texts as `{type: 'text', text}`. */
  writePart: (part: Part, context: RequestContext) => JsonObject[];
  /** What stands in the result itself: at least one text where there was anything to say. */
  writeContent: (texts: readonly string[], isError: boolean) => Json;
}

/**
 * Results of tools as messages of the role `tool`, one each. Only text may stand in them, so what else there is follows
 * behind all of them as the user's words.
 */
export function writeToolMessages(
  parts: readonly Part[],
  { own, writePart, writeContent }: ResultWriter,
  context: RequestContext,
): JsonObject[] {
  const messages: JsonObject[] = [];
  const shown: JsonObject[] = [];
  for (const part of parts) {
    if (part.type !== 'tool-result') continue;
    ownFields(part.extra, own, context);
    const written = part.parts.flatMap((each) => writePart(each, context));
    const texts = written.filter(({ type }) => type === 'text').map(({ text }) => textOf(text));
    const others = written.filter(({ type }) => type !== 'text');
    if (others.length > 0) {
      shown.push({ type: 'text', text: `Result of the tool call ${part.id}:` }, ...others);
      if (texts.length === 0) texts.push('(see the next message)');
    }
    messages.push({ role: 'tool', tool_call_id: part.id, content: writeContent(texts, part.isError) });
  }
  return shown.length === 0 ? messages : [...messages, { role: 'user', content: shown }];
}

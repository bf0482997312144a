import type { Message, Part, RequestContext } from '../../types/index.ts';
import { callId, ownFields, ownPart, writeToolMessages } from '../../conversation/index.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { besideCall, writeDetails } from './thoughts.ts';
import { writePart } from './write-part.ts';

const own = 'openai-chat';
type OfType<T extends Part['type']> = Extract<Part, { type: T }>;

/** The messages of a chat. Instructions are `system`: vendors other than OpenAI have no `developer` role. */
export const writeMessages = (messages: readonly Message[], context: RequestContext): JsonObject[] =>
  messages.flatMap((message) => writeMessage(message, context));

function writeMessage(message: Message, context: RequestContext): JsonObject[] {
  const name = message.name === undefined ? {} : { name: message.name };
  if (message.role === 'assistant')
    return [{ role: 'assistant', ...writeAnswer(message.parts, context), ...name }];
  if (message.role === 'tool')
    return writeToolMessages(
      message.parts,
      { own, idOf: (id) => idOf(id, context), writePart, writeContent: writeResult },
      context,
    );
  const role = message.role === 'user' ? 'user' : 'system';
  return [{ role, content: writeContent(message.parts, context), ...name }];
}

/**
 * A single plain text is the content itself; the texts of instructions too, because some vendors accept no parts there.
 */
function writeContent(parts: readonly Part[], context: RequestContext): Json {
  const written = parts.flatMap((part) => writePart(part, context));
  const [first, second] = written;
  if (!first) return '';
  return !second && first.type === 'text' ? first.text! : written;
}

function writeAnswer(parts: readonly Part[], context: RequestContext): JsonObject {
  const rest = parts.filter(({ type }) => type !== 'reasoning' && type !== 'tool-call' && type !== 'other');
  const isGoogle = /gemini/i.test(context.model);
  const calls = parts.flatMap((part, at) => {
    const before = parts[at - 1];
    const beside = isGoogle && before?.type === 'reasoning' ? besideCall(before) : {};
    return writeCall(part, context).map((call) => ({ ...call, ...beside }));
  });
  const audio = parts.map((part) =>
    part.type === 'other' ? ownPart(part.extra, own, context)?.audio : undefined,
  );
  const sound = audio.find((each) => each !== undefined);
  const content = rest.length === 0 ? null : writeContent(rest, context);
  return {
    content: content === null && calls.length === 0 ? '' : content,
    ...writeThoughts(parts, context),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(sound !== undefined && { audio: sound }),
  };
}

/** OpenAI's maximum in characters; Kimi recognises its calls by its own longer ids. */
const maxId = 40;
const idOf = (id: string, { model }: RequestContext): string =>
  id.length > maxId && !/kimi/i.test(model) ? callId(id, maxId) : id;

function writeCall(part: Part, context: RequestContext): JsonObject[] {
  if (part.type === 'other') {
    const call = part.extra.protocol === own ? part.extra.fields.tool_call : undefined;
    return call === undefined ? [] : [call as JsonObject];
  }
  if (part.type !== 'tool-call') return [];
  ownFields(part.extra, own, context);
  const input = part.input === '' ? '{}' : part.input;
  return [{ id: idOf(part.id, context), type: 'function', function: { name: part.name, arguments: input } }];
}

/** Reasoning of earlier turns, if the provider reads it; others refuse the field, or bill it as plain text. */
function writeThoughts(parts: readonly Part[], context: RequestContext): JsonObject {
  const thoughts = parts.filter(
    (part): part is OfType<'reasoning'> =>
      part.type === 'reasoning' && besideCall(part).extra_content === undefined,
  );
  if (thoughts.length === 0) return {};
  if (!context.readsReasoning) {
    context.drop('reasoning of earlier turns');
    return {};
  }
  const text = thoughts.map((thought) => thought.text).join('');
  const details: JsonObject[] = thoughts.flatMap((thought) => writeDetails(thought));
  return {
    ...(text !== '' && { reasoning_content: text }),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

/** A result as one text. */
function writeResult(texts: readonly string[], isError: boolean): string {
  const words = texts.join('\n');
  return isError ? asError(words) : words;
}

/** A failed tool call has no field, so the text states it. */
const asError = (words: string): string => (/error/i.test(words) ? words : `Error: ${words}`);

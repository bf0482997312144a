import type { Message, Part, RequestContext } from '../../types/index.ts';
import { ownFields, ownPart, writeToolMessages } from '../../conversation/index.ts';
import { parseExactObject } from '../../../lib/exact-numbers.ts';
import { type Json, type JsonObject, textOf } from '../../../lib/json.ts';
import { thinks } from './thinking.ts';
import { writePart } from './write-part.ts';

const own = 'cohere-chat';
type OfType<T extends Part['type']> = Extract<Part, { type: T }>;

/** The messages of a chat. The model's output of one turn is one message, in any form of the caller's. */
export function writeMessages(messages: readonly Message[], context: RequestContext): JsonObject[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'assistant' && last?.role === 'assistant') {
      for (const part of message.parts) last.parts.push(part);
    } else turns.push({ ...message, parts: [...message.parts] });
  }
  return turns.flatMap((message) => writeMessage(message, context));
}

function writeMessage({ role, parts, name }: Message, context: RequestContext): JsonObject[] {
  if (name !== undefined) context.drop('name');
  if (role === 'assistant') return writeAnswer(parts, context);
  if (role === 'tool')
    return writeToolMessages(
      parts,
      { own, idOf: (id) => id, writePart, writeContent: writeDocuments },
      context,
    );
  return [{ role: role === 'user' ? 'user' : 'system', content: writeContent(parts, context) }];
}

/** A single plain text is the content itself. */
function writeContent(parts: readonly Part[], context: RequestContext): Json {
  const written = parts.flatMap((part) => writePart(part, context));
  const [first, second] = written;
  if (!first) return '';
  return !second && first.type === 'text' ? first.text! : written;
}

/**
 * The model's message; undefined if it is empty. Only text and reasoning are allowed: pictures of other models are
 * omitted.
 */
function writeAnswer(parts: readonly Part[], context: RequestContext): JsonObject[] {
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [writeCall(part, context)] : []));
  const thoughts = writeThoughts(parts, calls.length > 0, context);
  const written = parts.flatMap((part) => writeContentPart(part, context));
  const content = [...thoughts.content, ...written];
  const [only] = content;
  const text = content.length === 1 && only?.type === 'text' ? textOf(only.text) : content;
  if (content.length === 0 && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      ...(content.length > 0 && { content: text }),
      ...(thoughts.plan !== '' && { tool_plan: thoughts.plan }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

function writeContentPart(part: Part, context: RequestContext): JsonObject[] {
  if (part.type === 'text' || part.type === 'refusal') {
    return part.text === '' ? [] : writePart(part, context);
  }
  if (part.type === 'other') ownPart(part.extra, own, context);
  else if (part.type !== 'reasoning' && part.type !== 'tool-call') context.drop(part.type);
  return [];
}

function writeCall({ id, name, input, extra }: OfType<'tool-call'>, context: RequestContext): JsonObject {
  ownFields(extra, own, context);
  return { id, type: 'function', function: { name, arguments: input === '' ? '{}' : input } };
}

/**
 * Reasoning of earlier turns: separate blocks for models that think, the plan before a call for all others. Cohere
 * signs nothing, so reasoning with a signature is another vendor's and is omitted.
 */
function writeThoughts(
  parts: readonly Part[],
  hasCalls: boolean,
  { model, drop }: RequestContext,
): { content: JsonObject[]; plan: string } {
  const all = parts.filter((part): part is OfType<'reasoning'> => part.type === 'reasoning');
  const ours = all.filter(({ text, signature }) => text !== '' && (signature ?? '') === '');
  if (ours.length < all.length) drop('reasoning of earlier turns');
  if (thinks(model)) {
    return { content: ours.map(({ text }) => ({ type: 'thinking', thinking: text })), plan: '' };
  }
  if (ours.length > 0 && !hasCalls) drop('reasoning of earlier turns');
  return { content: [], plan: hasCalls ? ours.map(({ text }) => text).join('') : '' };
}

/** A result as documents, which the model can cite. */
const writeDocuments = (texts: readonly string[], isError: boolean): JsonObject[] =>
  (texts.length > 0 ? texts : ['']).map((text) => ({
    type: 'document',
    document: { data: isError ? { error: text } : (parseExactObject(text) ?? { content: text }) },
  }));

import { untranslatable } from '@tollgate/contract/relay-errors';
import type { ChatRequest, Message, Part, RequestContext, ProtocolId } from '../types/index.ts';
import type { FilePart } from './file-parts.ts';
import { cannotTranslate, ownFields, ownPart } from './untranslatable.ts';
import { writeHostedTool } from './hosted-tools.ts';
import { sha256 } from '../../lib/hash.ts';
import { parseExact } from '../../lib/exact-numbers.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../lib/json.ts';

/** Text form of message parts, for vendors that accept only text. */
interface AsTextOptions {
  own: ProtocolId;
  context: Pick<RequestContext, 'drop'>;
  /** Handles parts other than text. */
  take(part: FilePart): void;
}

/**
 * A message as text, for applications with tools of their own. Calls and results of earlier turns are text in brackets, so
 * that the model knows the results.
 */
export const messageAsText = (message: Message, options: AsTextOptions): string =>
  message.parts
    .map((part) => partAsText(part, options))
    .filter((words) => words !== '')
    .join('\n');

function partAsText(part: Part, options: AsTextOptions): string {
  const { own, context } = options;
  switch (part.type) {
    case 'text':
      ownFields(part.extra, own, context);
      return part.text;
    case 'refusal':
      return part.text;
    case 'tool-call':
      return `[called ${part.name} with ${part.input === '' ? '{}' : part.input}]`;
    case 'tool-result': {
      const words = part.parts.map((each) => partAsText(each, options)).join('\n');
      return `[${part.name ?? 'the call'} ${part.isError ? 'failed' : 'answered'}: ${words}]`;
    }
    case 'reasoning':
      context.drop('reasoning of earlier turns');
      return '';
    case 'other':
      ownPart(part.extra, own, context);
      return '';
    case 'image':
    case 'audio':
    case 'file':
      ownFields(part.extra, own, context);
      options.take(part);
      return '';
  }
}

/** Such vendors have no JSON mode: it is requested in words. */
const jsonWords =
  'Answer with one JSON object and nothing else: no words before or behind it, no code fence.';

/**
 * Handles options of a request to an application with its own model, tools and limits: reports them as left out (`drop`),
 * or refuses those that the caller relies on. Returns instructions that replace the others.
 */
export function dropModelOptions(request: ChatRequest, own: ProtocolId, context: RequestContext): string {
  const { toolChoice, responseFormat, choices } = request;
  if (toolChoice?.type === 'required' || toolChoice?.type === 'tool') {
    throw cannotTranslate(untranslatable.forced_tool, own);
  }
  if (choices > 1) throw cannotTranslate(untranslatable.several_answers, own);
  if (responseFormat?.type === 'schema') throw cannotTranslate(untranslatable.answer_by_schema, own);
  for (const tool of request.tools) {
    // Functions that a search would find are omitted.
    if (tool.type === 'vendor' && !writeHostedTool(tool, own, context))
      throw cannotTranslate(untranslatable.tools, own);
  }
  const { drop } = context;
  if (request.tools.some(({ type }) => type === 'function')) drop('tools');
  if (request.maxOutputTokens !== undefined) drop('maxOutputTokens');
  if (request.stop.length > 0) drop('stop');
  if (request.reasoning) drop('reasoning');
  if (request.metadata) drop('metadata');
  if (request.serviceTier !== undefined) drop('serviceTier');
  for (const [name, value] of Object.entries(request.sampling)) if (value !== undefined) drop(name);
  return responseFormat?.type === 'json' ? jsonWords : '';
}

/**
 * The arguments of a call as an object, for protocols without another form; numbers keep their text. Invalid JSON from
 * a model is passed as text.
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

/** Writer of parts for a protocol with text-only tool results. */
interface ResultWriter {
  own: ProtocolId;
  /** The id of a call in the form of the protocol. */
  idOf: (id: string) => string;
  /** A piece of a result as content parts of the user, texts as `{type: 'text', text}`. */
  writePart: (part: Part, context: RequestContext) => JsonObject[];
  /** Content of the result itself: at least one text unless it is empty. */
  writeContent: (texts: readonly string[], isError: boolean) => Json;
}

/**
 * Results of tools as messages of the role `tool`, one each. They may have only text, so other content follows all of
 * them in a user message.
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

/** Results of a search for tools, for models that treat it as a function. */
export const foundTool = (name: string): string => `Found the tool ${name}, which can be called now.`;

const markLength = 8;

/**
 * The id of a call for a vendor that accepts only letters, digits, `_` and `-`, and at most `most` of them. Another id
 * is replaced by one that is always the same for it and different for every other id.
 */
export function callId(id: string, most: number): string {
  const plain = id.replace(/[^\w-]/g, '_');
  if (plain === id && id.length <= most && id !== '') return id;
  return `${plain.slice(0, most - markLength - 1)}_${sha256(id).slice(0, markLength)}`;
}

/** A conversation for protocols with only two roles. */
interface Turns {
  /** Blocks of the instructions, from any position. */
  system: JsonObject[];
  /** The turns of user and assistant. The first is the user's, and may be empty. */
  turns: { role: 'user' | 'assistant'; content: JsonObject[] }[];
}

/** Gathers messages into turns: several messages of one side, including results of tools, are one turn. */
export function gatherTurns(messages: readonly Message[], write: (message: Message) => JsonObject[]): Turns {
  const gathered: Turns = { system: [], turns: [] };
  const { system, turns } = gathered;
  for (const message of messages) {
    const content = write(message);
    if (message.role === 'system' || message.role === 'developer') {
      for (const block of content) system.push(block);
      continue;
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) for (const block of content) last.content.push(block);
    else turns.push({ role, content });
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [] });
  return gathered;
}

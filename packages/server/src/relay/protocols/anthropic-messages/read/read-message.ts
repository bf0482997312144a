import type { Extra, Message, Part, Source } from '../../../types/index.ts';
import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../../lib/json.ts';
import { foundTool, readSignature } from '../../../conversation/index.ts';
import { no } from '../inbound.ts';
import { callsIn } from './hosted-calls.ts';
import { readCitation } from './read-block.ts';
import { isToolChange } from './tool-changes.ts';

const own = 'anthropic-messages';

/** The fields of a block beyond those that were read, e.g. `cache_control`. */
export function extraOf(block: JsonObject, ...read: string[]): { extra?: Extra } {
  const fields = Object.fromEntries(
    Object.entries(block).filter(
      ([name, value]) => name !== 'type' && value !== null && !read.includes(name),
    ),
  );
  return Object.keys(fields).length === 0 ? {} : { extra: { protocol: own, fields } };
}

/** The instructions, which are separate in Messages. */
export function readSystem(system: Json | undefined): Message | undefined {
  const parts = readContent(system ?? '');
  return parts.length === 0 ? undefined : { role: 'system', parts };
}

/** Reads a message; results of tools, which are part of user messages, become separate messages. */
export function readMessage(message: JsonObject): Message[] {
  const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
  const messages: Message[] = [];
  for (const part of readParts(message.content)) {
    const partRole = part.type === 'tool-result' ? 'tool' : role;
    const last = messages.at(-1);
    if (last?.role === partRole) last.parts.push(part);
    else messages.push({ role: partRole, parts: [part] });
  }
  if (messages.length > 0) return messages;
  // A message that only changed the tools is empty.
  return role === 'system' ? [] : [{ role, parts: [] }];
}

/** The parts of a message; a hosted tool's call has its result beside it. */
function readParts(content: Json | undefined): Part[] {
  const calls = callsIn(objectsIn(content));
  const parts = readContent(content);
  if (calls.size === 0) return parts;
  return parts.map((part) => {
    const call = part.type === 'other' ? calls.get(part.extra.fields) : undefined;
    return call ? { ...part, call } : part;
  }) as Part[];
}

function readContent(content: Json | undefined): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    if (!isObject(block)) return no('content_block_not_object');
    // Changes of the tools are applied in another place (tool-changes.ts).
    return isToolChange(block) ? [] : [readBlock(block)];
  });
}

function readBlock(block: JsonObject): Part {
  switch (block.type) {
    case 'text':
      return readText(block);
    case 'image':
      return { type: 'image', source: readSource(block.source), ...extraOf(block, 'source') };
    case 'document':
      return readDocument(block);
    case 'thinking':
      return readThinking(block);
    case 'redacted_thinking': {
      const { signature, signer } = readSignature(need(block, 'data'), own);
      return { type: 'reasoning', text: '', redacted: signature, signer };
    }
    case 'tool_use':
      return {
        type: 'tool-call',
        id: need(block, 'id'),
        name: need(block, 'name'),
        input: JSON.stringify(block.input ?? {}),
        ...extraOf(block, 'id', 'name', 'input', 'caller'),
      };
    case 'tool_result':
      return {
        type: 'tool-result',
        id: need(block, 'tool_use_id'),
        parts: readContent(block.content),
        isError: block.is_error === true,
        ...extraOf(block, 'tool_use_id', 'content', 'is_error'),
      };
    case 'search_result':
      return readSearchResult(block);
    case 'compaction':
      return readSummary(block);
    case 'tool_reference': {
      const extra = { protocol: own, fields: { tool_reference: block } } as const;
      return { type: 'text', text: foundTool(need(block, 'tool_name')), extra };
    }
    case 'container_upload':
      return { type: 'other', extra: { protocol: own, fields: block, essential: ['container_upload'] } };
    default:
      return { type: 'other', extra: { protocol: own, fields: block } };
  }
}

/** A text with its source pages. */
function readText(block: JsonObject): Part {
  const citations = objectsIn(block.citations)
    .map(readCitation)
    .filter(({ url }) => url !== undefined);
  const text = need(block, 'text');
  return { type: 'text', text, ...(citations.length > 0 && { citations }), ...extraOf(block, 'text') };
}

function need(block: JsonObject, field: string): string {
  const value = block[field];
  return typeof value === 'string' ? value : no('block_field_missing', { block: textOf(block.type), field });
}

function readThinking(block: JsonObject): Part {
  const text = need(block, 'thinking');
  if (typeof block.signature !== 'string' || block.signature === '') return { type: 'reasoning', text };
  return { type: 'reasoning', text, ...readSignature(block.signature, own) };
}

function readSource(source: Json | undefined): Source {
  if (!isObject(source)) return no('source_missing');
  switch (source.type) {
    case 'base64':
      return { kind: 'data', mediaType: need(source, 'media_type'), base64: need(source, 'data') };
    case 'text':
      return {
        kind: 'data',
        mediaType: 'text/plain',
        base64: Buffer.from(need(source, 'data')).toString('base64'),
      };
    case 'url':
      return { kind: 'url', url: need(source, 'url') };
    case 'file':
      return { kind: 'id', id: need(source, 'file_id'), owner: own };
    default:
      return no('source_unknown');
  }
}

/** A document; one of content blocks becomes text, and is kept unchanged for its own protocol. */
function readDocument(block: JsonObject): Part {
  const { source, title } = block;
  if (isObject(source) && source.type === 'content') {
    return {
      type: 'text',
      text: joined(source.content),
      extra: { protocol: own, fields: { document: block } },
    };
  }
  return {
    type: 'file',
    source: readSource(source),
    ...(typeof title === 'string' && { name: title }),
    ...extraOf(block, 'source', 'title'),
  };
}

/** A summary that replaces all earlier messages. */
function readSummary(block: JsonObject): Part {
  const extra = { protocol: own, fields: { compaction: block } } as const;
  const { content } = block;
  if (typeof content !== 'string') return { type: 'other', extra: { protocol: own, fields: block } };
  return { type: 'text', text: `Summary of the conversation so far:\n\n${content}`, extra };
}

/** Results of the caller's own search: readable as text in any protocol. */
function readSearchResult(block: JsonObject): Part {
  const lines = [block.title, block.source].filter((line) => typeof line === 'string');
  const text = [...lines, joined(block.content)].join('\n');
  return { type: 'text', text, extra: { protocol: own, fields: { search_result: block } } };
}

function joined(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) ? textOf(part.text) : '')).join('\n');
}

import { untranslatable, filledWords } from '@tollgate/contract/relay-errors';
import type { Part, Source, RequestContext } from '../../../types/index.ts';
import { callId, cannotTranslate, ownFields, ownPart, toolInput } from '../../../conversation/index.ts';
import { isObject, type Json, type JsonObject } from '../../../../lib/json.ts';
import { conversationBlocks } from './hosted-blocks.ts';

const own = 'anthropic-messages';

/** A piece of a message as blocks of Messages; none for an empty piece. */
export function writePart(part: Part, context: RequestContext): JsonObject[] {
  switch (part.type) {
    case 'text':
      return writeText(part, context);
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image':
      return [{ type: 'image', source: writeSource(part.source), ...ownFields(part.extra, own, context) }];
    case 'file':
      return [writeFile(part, context)];
    case 'audio':
      throw cannotTranslate(untranslatable.sound, own);
    case 'reasoning':
      return writeThoughts(part, context);
    case 'tool-call':
      return [
        {
          type: 'tool_use',
          id: toolId(part.id),
          name: part.name,
          input: toolInput(part.input),
          ...ownFields(part.extra, own, context),
        },
      ];
    case 'tool-result':
      return [writeResult(part, context)];
    case 'other':
      return writeOther(part, context);
  }
}

/** A block of this protocol, or another protocol's run of a hosted tool. */
function writeOther({ call, extra }: OfType<'other'>, context: RequestContext): JsonObject[] {
  const written = extra.protocol !== own && call && call !== 'follows' ? conversationBlocks(call) : undefined;
  if (written) return written;
  const fields = ownPart(extra, own, context);
  return fields ? [fields] : [];
}

type OfType<T extends Part['type']> = Extract<Part, { type: T }>;

/** The vendor refuses empty texts. A text made from a block of this protocol becomes that block again. */
function writeText(part: OfType<'text'>, context: RequestContext): JsonObject[] {
  const fields = ownFields(part.extra, own, context);
  for (const kept of [fields.document, fields.search_result, fields.compaction, fields.tool_reference])
    if (isObject(kept)) return [kept];
  return part.text === '' ? [] : [{ type: 'text', text: part.text, ...fields }];
}

function writeSource(source: Source): JsonObject {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  if (source.kind === 'data') return { type: 'base64', media_type: source.mediaType, data: source.base64 };
  if (source.owner !== own) throw cannotTranslate(untranslatable.foreign_file, own);
  return { type: 'file', file_id: source.id };
}

function writeFile(part: OfType<'file'>, context: RequestContext): JsonObject {
  const { source, name } = part;
  const rest = { ...(name !== undefined && { title: name }), ...ownFields(part.extra, own, context) };
  if (source.kind !== 'data' || source.mediaType === 'application/pdf') {
    return { type: 'document', source: writeSource(source), ...rest };
  }
  if (source.mediaType.startsWith('image/')) return { type: 'image', source: writeSource(source) };
  if (!/^text\/|json|xml|yaml|javascript/.test(source.mediaType)) {
    throw cannotTranslate(filledWords(untranslatable.file_of_type, { type: source.mediaType }), own);
  }
  const data = Buffer.from(source.base64, 'base64').toString();
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...rest };
}

/** Reasoning is sent only to the vendor that signed it. */
function writeThoughts(part: OfType<'reasoning'>, { drop }: RequestContext): JsonObject[] {
  const isOwn = part.signer === own;
  if (isOwn && part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }];
  if (isOwn && part.signature !== undefined) {
    return [{ type: 'thinking', thinking: part.text, signature: part.signature }];
  }
  drop('reasoning of earlier turns');
  return [];
}

function writeResult(part: OfType<'tool-result'>, context: RequestContext): JsonObject {
  const blocks = part.parts.flatMap((each) => writePart(each, context));
  const [first, second] = blocks;
  const isPlain = !second && first?.type === 'text' && Object.keys(first).length === 2;
  const content: Json = isPlain ? first.text! : blocks;
  return {
    type: 'tool_result',
    tool_use_id: toolId(part.id),
    ...(blocks.length > 0 && { content }),
    ...(part.isError && { is_error: true }),
    ...ownFields(part.extra, own, context),
  };
}

const toolId = (id: string): string => callId(id, 128);

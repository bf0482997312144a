import { untranslatable } from '@tollgate/contract/relay-errors';
import type { Message, Part, Source, RequestContext } from '../../types/index.ts';
import { callId, cannotTranslate, ownFields, ownPart } from '../../conversation/index.ts';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import { writeAnnotation } from './citation.ts';
import { unwrapInput } from './custom-tools.ts';
import { isClientSearch } from './namespaces.ts';
import { callItem } from './hosted/write-call.ts';

const own = 'openai-responses';
const isCustom = (part: Extract<Part, { type: 'tool-call' | 'tool-result' }>): boolean =>
  part.extra?.protocol === own && textOf(part.extra.fields.type).startsWith('custom');

/** Writes messages as input items: a message's calls, results and reasoning are separate items. */
export function writeInput(messages: readonly Message[], context: RequestContext): JsonObject[] {
  const items = messages.flatMap((message) => writeMessage(message, context));
  // The vendor requires an item; an empty one is `...`, as in Messages.
  return items.length > 0
    ? items
    : [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: '...' }] }];
}

function writeMessage(message: Message, context: RequestContext): JsonObject[] {
  if (message.name !== undefined) context.drop('name');
  const role = message.role === 'tool' ? 'user' : message.role;
  const items: JsonObject[] = [];
  let content: JsonObject[] = [];
  const endContent = (): void => {
    if (content.length > 0) items.push({ type: 'message', role, content });
    content = [];
  };
  for (const part of message.parts) {
    const item = writeItem(part, context);
    if (item === 'content') content.push(...writePart(part, role, context));
    else {
      endContent();
      items.push(...item);
    }
  }
  endContent();
  return items;
}

/** A part that is a separate item, or 'content'. */
function writeItem(part: Part, context: RequestContext): JsonObject[] | 'content' {
  switch (part.type) {
    case 'tool-call':
      return [writeCall(part)];
    case 'tool-result':
      return [writeResult(part, context)];
    case 'reasoning':
      return writeThoughts(part, context);
    case 'other':
      return writeOther(part, context);
    default:
      return 'content';
  }
}

/** An item of this protocol, or another protocol's run of a hosted tool. */
function writeOther(
  { call, extra }: Extract<Part, { type: 'other' }>,
  context: RequestContext,
): JsonObject[] {
  if (extra.protocol !== own && call) return call === 'follows' ? [] : [callItem(call)];
  // Items have a type; parts of a content too, but all of those are known.
  const fields = ownPart(extra, own, context);
  return fields ? [fields] : [];
}

/** OpenAI's maximum in characters. */
const maxId = 64;
const itemId = (id: string): string => (id.length > maxId ? callId(id, maxId) : id);

function writeCall(part: Extract<Part, { type: 'tool-call' }>): JsonObject {
  if (part.extra?.protocol === own && isClientSearch(part.extra.fields)) return part.extra.fields;
  const id = itemId(part.id);
  const { input } = part;
  const { namespace, name: inside } = part.extra?.protocol === own ? part.extra.fields : {};
  const called = namespace === undefined ? { name: part.name } : { name: inside, namespace };
  if (isCustom(part)) return { type: 'custom_tool_call', call_id: id, ...called, input: unwrapInput(input) };
  return { type: 'function_call', call_id: id, ...called, arguments: input === '' ? '{}' : input };
}

function writeResult(part: Extract<Part, { type: 'tool-result' }>, context: RequestContext): JsonObject {
  if (part.extra?.protocol === own && isClientSearch(part.extra.fields)) return part.extra.fields;
  const type = isCustom(part) ? 'custom_tool_call_output' : 'function_call_output';
  // A failure has no field of its own; the text states it for the model.
  const texts = part.parts.map((each) => (each.type === 'text' ? each.text : undefined));
  const output =
    texts.length === 1 && texts[0] !== undefined
      ? texts[0]
      : texts.length === 0
        ? ''
        : part.parts.flatMap((each) => writePart(each, 'user', context));
  return { type, call_id: itemId(part.id), output: part.isError ? asError(output) : output };
}

const asError = (output: string | JsonObject[]): string | JsonObject[] =>
  typeof output === 'string' ? `Error: ${output}` : [{ type: 'input_text', text: 'Error:' }, ...output];

/** Reasoning is sent only to the vendor that can verify it. */
function writeThoughts(part: Extract<Part, { type: 'reasoning' }>, context: RequestContext): JsonObject[] {
  const isOwn = part.signature !== undefined && (part.signer ?? own) === own;
  const id = part.extra?.protocol === own ? part.extra.fields.id : undefined;
  if (!isOwn && id === undefined) {
    context.drop('reasoning');
    return [];
  }
  return [
    {
      type: 'reasoning',
      ...(id !== undefined && { id }),
      summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
      ...(isOwn && { encrypted_content: part.signature }),
    },
  ];
}

function writePart(part: Part, role: string, context: RequestContext): JsonObject[] {
  switch (part.type) {
    case 'text':
      return [writeText(part, role, context)];
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }];
    case 'image':
      return [{ type: 'input_image', ...writeImage(part.source), detail: part.detail ?? 'auto' }];
    case 'audio':
      return [{ type: 'input_audio', input_audio: writeAudio(part.source) }];
    case 'file':
      return [{ type: 'input_file', ...writeFile(part.source, part.name) }];
    default:
      return [];
  }
}

/** The range of a source of the whole text. */
const wholeOf = (text: string): JsonObject => ({ start_index: 0, end_index: text.length });

function writeText(part: Extract<Part, { type: 'text' }>, role: string, context: RequestContext): JsonObject {
  if (role !== 'assistant') return { type: 'input_text', text: part.text };
  const { text, citations = [], extra } = part;
  const isOwn = extra?.protocol === own;
  const annotations = citations.map((citation) => ({ ...wholeOf(text), ...writeAnnotation(citation) }));
  // Citations that became annotations are not reported as omitted.
  const { citations: _told, ...others } = extra?.fields ?? {};
  const rest = extra && (isOwn || citations.length === 0 ? extra : { ...extra, fields: others });
  return { type: 'output_text', text, annotations, ...ownFields(rest, own, context) };
}

const dataUrl = ({ mediaType, base64 }: Extract<Source, { kind: 'data' }>): string =>
  `data:${mediaType};base64,${base64}`;

/** OpenAI's two protocols share file ids; another vendor's ids have no meaning here. */
function keptFile(source: Extract<Source, { kind: 'id' }>): JsonObject {
  if (!source.owner.startsWith('openai-')) throw cannotTranslate(untranslatable.foreign_file, own);
  return { file_id: source.id };
}

function writeImage(source: Source): JsonObject {
  if (source.kind === 'id') return keptFile(source);
  return { image_url: source.kind === 'url' ? source.url : dataUrl(source) };
}

function writeAudio(source: Source): JsonObject {
  if (source.kind !== 'data') throw cannotTranslate(untranslatable.sound_by_address, own);
  const format = source.mediaType.replace(/^audio\/(x-)?/, '');
  return { data: source.base64, format: format === 'mpeg' ? 'mp3' : format };
}

function writeFile(source: Source, name: string | undefined): JsonObject {
  if (source.kind === 'id') return keptFile(source);
  if (source.kind === 'url') return { file_url: source.url };
  const ending = source.mediaType === 'application/pdf' ? 'pdf' : 'txt';
  return { filename: name ?? `file.${ending}`, file_data: dataUrl(source) };
}

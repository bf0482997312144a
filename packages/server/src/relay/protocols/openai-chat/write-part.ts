import { untranslatable } from '@tollgate/contract/relay-errors';
import type { ChatRequest, Part, RequestContext } from '../../types/index.ts';
import { fileAddresses, cannotTranslate, ownFields, ownPart } from '../../conversation/index.ts';
import type { JsonObject } from '../../../lib/json.ts';

const own = 'openai-chat';
type OfType<T extends Part['type']> = Extract<Part, { type: T }>;

/** A piece of a message as content parts; none if it is in another place of the message, or omitted. */
export function writePart(part: Part, context: RequestContext): JsonObject[] {
  switch (part.type) {
    case 'text':
      ownFields(part.extra, own, context);
      // Some vendors refuse empty parts.
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }];
    case 'image':
      ownFields(part.extra, own, context);
      return [writeImage(part)];
    case 'audio':
      return [writeSound(part)];
    case 'file':
      ownFields(part.extra, own, context);
      return [writeFile(part, context)];
    case 'other': {
      const fields = ownPart(part.extra, own, context);
      return fields ? [fields] : [];
    }
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
      return [];
  }
}

const dataUrl = (mediaType: string, base64: string): string => `data:${mediaType};base64,${base64}`;

function writeImage({ source, detail }: OfType<'image'>): JsonObject {
  if (source.kind === 'id') throw cannotTranslate(untranslatable.foreign_image, own);
  const url = source.kind === 'url' ? source.url : dataUrl(source.mediaType, source.base64);
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } };
}

function writeSound({ source }: OfType<'audio'>): JsonObject {
  if (source.kind !== 'data') throw cannotTranslate(untranslatable.sound_by_address, own);
  const format = source.mediaType
    .replace(/^audio\//, '')
    .replace(/^(x-wav|wave)$/, 'wav')
    .replace('mpeg', 'mp3');
  return { type: 'input_audio', input_audio: { data: source.base64, format } };
}

/** Text files become text, which every vendor accepts; others become data, because files have no addresses. */
function writeFile(part: OfType<'file'>, { files }: RequestContext): JsonObject {
  const { source, name } = part;
  if (source.kind === 'id') {
    if (source.owner !== own) throw cannotTranslate(untranslatable.foreign_file, own);
    return { type: 'file', file: { file_id: source.id, ...(name !== undefined && { filename: name }) } };
  }
  const data = source.kind === 'url' ? files.get(source.url) : source;
  if (!data) throw cannotTranslate(untranslatable.file_by_address, own);
  if (data.mediaType.startsWith('text/')) {
    const heading = name === undefined ? '' : `${name}\n`;
    return { type: 'text', text: heading + Buffer.from(data.base64, 'base64').toString() };
  }
  const filename = name ?? (data.mediaType === 'application/pdf' ? 'file.pdf' : 'file');
  return { type: 'file', file: { filename, file_data: dataUrl(data.mediaType, data.base64) } };
}

/** Addresses of files, which this protocol accepts only as data. */
export const filesNeeded = (request: ChatRequest): string[] => fileAddresses(request, ['file']);

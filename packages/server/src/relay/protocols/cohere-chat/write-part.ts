import { untranslatable } from '@tollgate/contract/relay-errors';
import type { ChatRequest, Part, RequestContext } from '../../types/index.ts';
import { fileAddresses, cannotTranslate, ownFields, ownPart } from '../../conversation/index.ts';
import type { JsonObject } from '../../../lib/json.ts';

const own = 'cohere-chat';
type OfType<T extends Part['type']> = Extract<Part, { type: T }>;

/** A piece of a user message; none if it is in another place of the message, or omitted. */
export function writePart(part: Part, context: RequestContext): JsonObject[] {
  switch (part.type) {
    case 'text':
      ownFields(part.extra, own, context);
      return [{ type: 'text', text: part.text }];
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'image':
      ownFields(part.extra, own, context);
      return [writeImage(part)];
    case 'file':
      ownFields(part.extra, own, context);
      return [writeFile(part, context)];
    case 'audio':
      throw cannotTranslate(untranslatable.sound, own);
    case 'other':
      return [ownPart(part.extra, own, context)].filter((fields) => fields !== undefined);
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
      return [];
  }
}

function writeImage({ source, detail }: OfType<'image'>): JsonObject {
  if (source.kind === 'id') throw cannotTranslate(untranslatable.foreign_image, own);
  const url = source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.base64}`;
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } };
}

/** Text files in any format. */
const isText = (mediaType: string): boolean =>
  /^(text\/|application\/(json|xml|yaml|x-ndjson)\b)/.test(mediaType);

/** Cohere reads no files, so text files are sent as text. */
function writeFile({ source, name }: OfType<'file'>, { files }: RequestContext): JsonObject {
  if (source.kind === 'id') throw cannotTranslate(untranslatable.foreign_file, own);
  const data = source.kind === 'url' ? files.get(source.url) : source;
  if (!data || !isText(data.mediaType)) throw cannotTranslate(untranslatable.file_not_text, own);
  const heading = name === undefined ? '' : `${name}\n`;
  return { type: 'text', text: heading + Buffer.from(data.base64, 'base64').toString() };
}

/** Addresses of files that must be sent as text. */
export const filesNeeded = (request: ChatRequest): string[] => fileAddresses(request, ['file']);

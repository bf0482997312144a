import type { Part, Source } from '../../types/index.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';

const own = (fields: JsonObject, essential?: string) => ({
  protocol: 'openai-responses' as const,
  fields,
  ...(essential !== undefined && { essential: [essential] }),
});

/** The content of a message or of a tool's result: a text, or a list of parts. */
export function readContent(content: Json | undefined): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsIn(content).map(readPart);
}

function readPart(part: JsonObject): Part {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'text':
      return readText(part);
    case 'refusal':
      return { type: 'refusal', text: textOf(part.refusal) };
    case 'input_image': {
      const { detail } = part;
      const source = sourceOf(part.image_url, part.file_id);
      return { type: 'image', source, ...(typeof detail === 'string' && { detail }) };
    }
    case 'input_file': {
      const name = part.filename;
      const source = sourceOf(part.file_data ?? part.file_url, part.file_id);
      return { type: 'file', source, ...(typeof name === 'string' && { name }) };
    }
    case 'input_audio': {
      const { data, format } = objectOf(part.input_audio);
      const mediaType = `audio/${textOf(format) || 'wav'}`;
      return { type: 'audio', source: { kind: 'data', mediaType, base64: textOf(data) } };
    }
    default:
      return { type: 'other', extra: own(part, textOf(part.type) || 'content') };
  }
}

/** Sources from an earlier answer are sent only to the vendor of that answer. */
function readText(part: JsonObject): Part {
  const text = textOf(part.text);
  const { annotations } = part;
  const has = Array.isArray(annotations) && annotations.length > 0;
  return { type: 'text', text, ...(has && { extra: own({ annotations }) }) };
}

const dataUrl = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s;

function sourceOf(address: Json | undefined, id: Json | undefined): Source {
  const text = textOf(address);
  if (text === '') return { kind: 'id', id: textOf(id), owner: 'openai-responses' };
  const [, mediaType, base64] = dataUrl.exec(text) ?? [];
  if (base64 !== undefined)
    return { kind: 'data', mediaType: mediaType || 'application/octet-stream', base64 };
  if (/^https?:/i.test(text)) return { kind: 'url', url: text };
  // Base64 without the head of a data URL, as some callers send files.
  return { kind: 'data', mediaType: 'application/octet-stream', base64: text };
}

/** The texts of a list of parts, separated by blank lines. */
export const joinTexts = (parts: Json | undefined): string =>
  Array.isArray(parts)
    ? parts
        .map((part) => (isObject(part) ? textOf(part.text) : ''))
        .filter((text) => text !== '')
        .join('\n\n')
    : '';

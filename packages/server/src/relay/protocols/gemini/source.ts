import type { Source } from '../../types/index.ts';
import { type JsonObject, objectOf, textOf } from '../../../lib/json.ts';

/** Files stored at Google, which no other vendor can read. */
const kept = /^(gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/;

/** The bytes or the address in a part with `inlineData` or `fileData`. */
export function readSource(part: JsonObject): Source {
  const inline = objectOf(part.inlineData ?? part.inline_data);
  const data = textOf(inline.data);
  if (data !== '') return { kind: 'data', mediaType: mediaTypeOf(inline), base64: plainBase64(data) };
  const file = objectOf(part.fileData ?? part.file_data);
  const uri = textOf(file.fileUri ?? file.file_uri);
  return kept.test(uri) ? { kind: 'id', id: uri, owner: 'gemini' } : { kind: 'url', url: uri };
}

/** Google accepts the URL alphabet, which its Python client writes; other vendors do not. */
const plainBase64 = (data: string): string =>
  /[-_]/.test(data) ? data.replaceAll('-', '+').replaceAll('_', '/') : data;

/** The media type that such a part names. */
export const mediaTypeOf = (data: JsonObject): string =>
  textOf(data.mimeType ?? data.mime_type) || 'application/octet-stream';

/** A source as a part. Addresses need a media type, guessed from their extension if unknown. */
export function writeSource(source: Source, mediaType?: string): JsonObject {
  if (source.kind === 'data') return { inlineData: { mimeType: source.mediaType, data: source.base64 } };
  const fileUri = source.kind === 'url' ? source.url : source.id;
  return { fileData: { mimeType: mediaType ?? guess(fileUri), fileUri } };
}

const endings: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  pdf: 'application/pdf',
  txt: 'text/plain',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
};

function guess(uri: string): string {
  const ending = /\.(\w{2,5})(?:[?#]|$)/.exec(uri)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(endings, ending) ? endings[ending]! : 'application/octet-stream';
}

import { type JsonObject, parseObject } from '../../lib/json.ts';
import type { Channel, SendTools, RelayError, UpstreamCall } from '../types/index.ts';

/** A file of a request that its vendor needs before the call. */
export interface UploadFile {
  mediaType: string;
  base64: string;
  /** The caller's name; made from the media type if there is none. */
  name?: string | undefined;
}

/** The differences between vendors' upload APIs. */
export interface UploadPlace {
  url: string;
  /** Text fields beside the file. */
  fields: Readonly<Record<string, string>>;
  headers: Record<string, string>;
  /** The file's id in the vendor's answer; undefined if there is none. */
  readId(answer: JsonObject): string | undefined;
  /** The error in an answer without an id. */
  readFailure(status: number, body: Buffer): RelayError;
}

/** Uploads a file to the vendor as `multipart/form-data`, and returns its id. */
export async function upload(file: UploadFile, place: UploadPlace, tools: SendTools): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(place.fields)) form.set(name, value);
  const bytes = Buffer.from(file.base64, 'base64');
  form.set('file', new Blob([bytes], { type: file.mediaType }), nameOf(file));
  // The platform writes the form: boundary, part headers, escaping of names.
  const written = new Response(form);
  const { status, body } = await tools.ask({
    method: 'POST',
    url: place.url,
    headers: { ...place.headers, 'content-type': written.headers.get('content-type') ?? '' },
    body: Buffer.from(await written.arrayBuffer()),
  });
  const answer = status < 300 ? parseObject(body) : undefined;
  const id = answer && place.readId(answer);
  if (id === undefined || id === '') throw place.readFailure(status, body);
  return id;
}

/** File extensions by media type. */
const endings: Readonly<Record<string, string>> = {
  jpeg: 'jpg',
  'svg+xml': 'svg',
  plain: 'txt',
  markdown: 'md',
  mpeg: 'mp3',
  'x-wav': 'wav',
};

function nameOf({ name, mediaType }: UploadFile): string {
  if (name !== undefined && /\.\w{1,8}$/.test(name)) return name;
  const subtype = mediaType.split('/')[1]?.split(';')[0] ?? '';
  const ending = endings[subtype] ?? (/^\w{1,8}$/.test(subtype) ? subtype : 'bin');
  return `${name ?? 'file'}.${ending}`;
}

/**
 * The step before a call is sent that uploads its files: `withIds` puts the vendor's ids into the body. A body
 * without the mark has none, and is not parsed.
 */
export const uploader =
  (mark: Buffer, withIds: (body: JsonObject, channel: Channel, tools: SendTools) => Promise<JsonObject>) =>
  async (call: UpstreamCall, channel: Channel, tools: SendTools): Promise<UpstreamCall> => {
    const body = call.body.includes(mark) ? parseObject(call.body) : undefined;
    return body ? { ...call, body: Buffer.from(JSON.stringify(await withIds(body, channel, tools))) } : call;
  };

/** The authentication headers of a written call, for another request to the same vendor. */
export const whoAsks = (channel: Channel): Record<string, string> => ({
  authorization: `Bearer ${channel.key}`,
  accept: 'application/json',
});

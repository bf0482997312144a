import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { FetchedFile } from '../../types/index.ts';

/** Addresses of images and documents in a body of Messages: Bedrock accepts only data. */
export function mediaAddresses(body: JsonObject): string[] {
  const found: string[] = [];
  withSources(body.messages, (source) => {
    if (typeof source.url === 'string') found.push(source.url);
    return source;
  });
  return found;
}

/** The messages with fetched files instead of their addresses. */
export const withData = (messages: Json, files: ReadonlyMap<string, FetchedFile>): Json =>
  withSources(messages, (source) => {
    const file = typeof source.url === 'string' ? files.get(source.url) : undefined;
    return file ? dataOf(file) : source;
  })!;

/** Text documents are not accepted as data. */
function dataOf({ mediaType, base64 }: FetchedFile): JsonObject {
  if (!mediaType.startsWith('text/')) return { type: 'base64', media_type: mediaType, data: base64 };
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(base64, 'base64').toString() };
}

type Change = (source: JsonObject) => JsonObject;

/** Each source by address passed through `change`, in messages and in the results of tools; the rest is not copied. */
function withSources(content: Json | undefined, change: Change): Json | undefined {
  if (!Array.isArray(content)) return content;
  return content.map((each) => {
    if (!isObject(each)) return each;
    if (Array.isArray(each.content)) return { ...each, content: withSources(each.content, change)! };
    const { source } = each;
    return isObject(source) && source.type === 'url' ? { ...each, source: change(source) } : each;
  });
}

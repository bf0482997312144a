import type { Channel, SendTools } from '../../types/index.ts';
import { type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { upload, uploader, whoAsks } from '../../provider-kit/index.ts';
import { readDifyError } from './errors.ts';

/** Marks a body with files as data; inside a text its quotes would be escaped. */
const mark = Buffer.from('"local_file"');

/**
 * Uploads the files that a call has as data, because a Dify message can only refer to files. Throws RelayError if Dify
 * refuses a file.
 */
export const uploadFiles = uploader(mark, withIds);

async function withIds(body: JsonObject, channel: Channel, tools: SendTools): Promise<JsonObject> {
  const files: Json[] = [];
  // One after the other: a message has a few files, and their order is that of the conversation.
  for (const file of objectsIn(body.files)) {
    files.push(file.data === undefined ? file : await submitFile(file, textOf(body.user), channel, tools));
  }
  return { ...body, files };
}

async function submitFile(
  file: JsonObject,
  user: string,
  channel: Channel,
  tools: SendTools,
): Promise<JsonObject> {
  const { data, ...reference } = file;
  const { mediaType, base64, name } = objectOf(data);
  const place = {
    url: `${channel.baseUrl}/v1/files/upload`,
    // A file can only be used by the user who uploaded it.
    fields: { user },
    headers: whoAsks(channel),
    readId: (answer: JsonObject) => textOf(answer.id),
    readFailure: (status: number, body: Buffer) =>
      readDifyError({
        status: status < 400 ? 502 : status,
        contentType: 'application/json',
        body,
        secrets: [channel.key],
        retryAfterSeconds: undefined,
      }),
  };
  const named = { mediaType: textOf(mediaType), base64: textOf(base64), name: textOf(name) || undefined };
  return { ...reference, upload_file_id: await upload(named, place, tools) };
}

import type { Channel, SendTools } from '../../types/index.ts';
import { type Json, type JsonObject, objectOf, objectsIn, textOf, parseObject } from '../../../lib/json.ts';
import { upload, uploader, whoAsks } from '../../provider-kit/index.ts';
import { readCozeError } from './errors.ts';

/** Marks a body with files; inside a text its quotes would be escaped. */
const mark = Buffer.from('"object_string"');

/**
 * Uploads the files that a call has as data, because a message to a bot can only refer to files. Throws RelayError if
 * Coze refuses a file.
 */
export const uploadFiles = uploader(mark, withIds);

async function withIds(body: JsonObject, channel: Channel, tools: SendTools): Promise<JsonObject> {
  const messages: Json[] = [];
  // One after the other: a message has a few files, and their order is that of the conversation.
  for (const message of objectsIn(body.additional_messages)) {
    messages.push(
      message.content_type === 'object_string' ? await withFileIds(message, channel, tools) : message,
    );
  }
  return { ...body, additional_messages: messages };
}

async function withFileIds(message: JsonObject, channel: Channel, tools: SendTools): Promise<JsonObject> {
  const parts: Json[] = [];
  // The content is a list, written as a text.
  const { list } = objectOf(parseObject(`{"list":${textOf(message.content)}}`));
  for (const part of objectsIn(list)) {
    parts.push(part.data === undefined ? part : await submitFile(part, channel, tools));
  }
  return { ...message, content: JSON.stringify(parts) };
}

async function submitFile(part: JsonObject, channel: Channel, tools: SendTools): Promise<JsonObject> {
  const { data, ...reference } = part;
  const { mediaType, base64, name } = objectOf(data);
  const place = {
    url: `${channel.baseUrl}/v1/files/upload`,
    fields: {},
    headers: whoAsks(channel),
    readId: (answer: JsonObject) => textOf(objectOf(answer.data).id),
    readFailure: (status: number, body: Buffer) =>
      readCozeError({
        status,
        contentType: 'application/json',
        body,
        secrets: [channel.key],
        retryAfterSeconds: undefined,
      }),
  };
  const named = { mediaType: textOf(mediaType), base64: textOf(base64), name: textOf(name) || undefined };
  return { ...reference, file_id: await upload(named, place, tools) };
}

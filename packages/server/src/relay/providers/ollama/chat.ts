import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { AdaptContext, FetchedFile } from '../../types/index.ts';

/** Supported fields of Ollama's OpenAI call. Others are ignored in some versions and refused in others. */
const known = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'stop',
  'max_tokens',
  'frequency_penalty',
  'presence_penalty',
  'response_format',
  'tools',
  'tool_choice',
  'reasoning_effort',
  'reasoning',
  'think',
  'logprobs',
  'top_logprobs',
  'keep_alive',
  'options',
]);

/** Keeps the fields that Ollama supports, and replaces image addresses with fetched images. */
export function adaptChat(body: JsonObject, { files }: AdaptContext): undefined {
  if (body.max_completion_tokens !== undefined) body.max_tokens ??= body.max_completion_tokens;
  for (const key of Object.keys(body)) if (!known.has(key)) delete body[key];
  if (files.size > 0 && Array.isArray(body.messages)) {
    body.messages = body.messages.map((message) => withData(message, files));
  }
}

function withData(message: Json, files: ReadonlyMap<string, FetchedFile>): Json {
  if (!isObject(message) || !Array.isArray(message.content)) return message;
  return { ...message, content: message.content.map((part) => imageAsData(part, files)) };
}

function imageAsData(part: Json, files: ReadonlyMap<string, FetchedFile>): Json {
  const address = addressIn(part);
  const file = address === undefined ? undefined : files.get(address);
  if (!file || !isObject(part)) return part;
  const image = isObject(part.image_url) ? part.image_url : {};
  return { ...part, image_url: { ...image, url: `data:${file.mediaType};base64,${file.base64}` } };
}

/** Addresses of images, which Ollama does not fetch itself. */
export function imageAddresses(body: JsonObject): string[] {
  if (!Array.isArray(body.messages)) return [];
  return body.messages.flatMap((message) => {
    if (!isObject(message) || !Array.isArray(message.content)) return [];
    return message.content.flatMap((part) => addressIn(part) ?? []);
  });
}

function addressIn(part: Json): string | undefined {
  if (!isObject(part)) return undefined;
  const url = isObject(part.image_url) ? part.image_url.url : part.image_url;
  return typeof url === 'string' && /^https?:/.test(url) ? url : undefined;
}

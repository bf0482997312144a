import type { Message, Part, Source } from '../../types/index.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.ts';
import { readThoughts } from './thoughts.ts';
import { refuser } from '../../families/openai/index.ts';

const own = 'openai-chat';

const no = refuser('invalid_text_request');

/** The messages of a chat, each as one neutral message. */
export function readMessages(messages: readonly Json[]): Message[] {
  const read: Message[] = [];
  const calls = new Map<string, string>();
  for (const message of messages) {
    if (!isObject(message)) continue;
    const one = readMessage(message, calls);
    for (const part of one.parts) if (part.type === 'tool-call') calls.set(part.name, part.id);
    read.push(one);
  }
  return read;
}

/** `calls` has the id of the last call of each function, by its name. */
function readMessage(message: JsonObject, calls: ReadonlyMap<string, string>): Message {
  const name = typeof message.name === 'string' ? { name: message.name } : {};
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      return { role: message.role, parts: readContent(message.content), ...name };
    case 'assistant':
      return { role: 'assistant', parts: readAnswer(message), ...name };
    case 'tool':
      return { role: 'tool', parts: [readResult(message, textOf(message.tool_call_id))] };
    // The older API names the function and not the call: the last call of that name is meant.
    case 'function': {
      const name = textOf(message.name);
      return { role: 'tool', parts: [readResult(message, calls.get(name) ?? `call_${name}`)] };
    }
    default:
      return no('role_unknown', { role: textOf(message.role).slice(0, 40) });
  }
}

const readResult = (message: JsonObject, id: string): Part => ({
  type: 'tool-result',
  id,
  ...(typeof message.name === 'string' && { name: message.name }),
  parts: readContent(message.content),
  isError: false,
});

function readAnswer(message: JsonObject): Part[] {
  const parts: Part[] = [...readThoughts(message), ...readContent(message.content)];
  if (typeof message.refusal === 'string') parts.push({ type: 'refusal', text: message.refusal });
  for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
    if (isObject(call)) parts.push(readCall(call));
  }
  if (isObject(message.function_call)) {
    const { name, arguments: input } = message.function_call;
    parts.push({ type: 'tool-call', id: `call_${textOf(name)}`, name: textOf(name), input: textOf(input) });
  }
  if (isObject(message.audio)) {
    parts.push({ type: 'other', extra: { protocol: own, fields: { audio: message.audio } } });
  }
  return parts;
}

function readCall(call: JsonObject): Part {
  const id = textOf(call.id);
  if (!isObject(call.function)) {
    const essential = [`a tool call of the type ${textOf(call.type)}`];
    return { type: 'other', extra: { protocol: own, fields: { tool_call: call }, essential } };
  }
  return { type: 'tool-call', id, name: textOf(call.function.name), input: textOf(call.function.arguments) };
}

function readContent(content: Json | undefined): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return no('content_not_parts');
  return content.map((part) => (isObject(part) ? readPart(part) : no('content_part_not_object')));
}

function readPart(part: JsonObject): Part {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: textOf(part.text) };
    case 'refusal':
      return { type: 'refusal', text: textOf(part.refusal) };
    case 'image_url':
      return readImage(part);
    case 'input_audio': {
      const { data, format } = isObject(part.input_audio) ? part.input_audio : {};
      return {
        type: 'audio',
        source: { kind: 'data', mediaType: `audio/${textOf(format)}`, base64: textOf(data) },
      };
    }
    case 'file':
      return readFile(isObject(part.file) ? part.file : {});
    default: {
      const essential = [`content of the type ${textOf(part.type).slice(0, 40)}`];
      return { type: 'other', extra: { protocol: own, fields: part, essential } };
    }
  }
}

function readImage(part: JsonObject): Part {
  const image = isObject(part.image_url) ? part.image_url : { url: part.image_url };
  if (typeof image.url !== 'string') return no('image_without_url');
  return {
    type: 'image',
    source: imageSource(image.url),
    ...(typeof image.detail === 'string' && { detail: image.detail }),
  };
}

/** The start of an image's base64, by its type. */
const imageBeginnings: readonly [beginning: string, mediaType: string][] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** An image by its address or as data. Some clients send bare base64, or an address without a type. */
function imageSource(url: string): Source {
  const bare = 'data:;base64,';
  const base64 = url.startsWith(bare) ? url.slice(bare.length) : url;
  if (base64 === url && /^(data|https?):/i.test(url)) return sourceOf(url);
  const known = imageBeginnings.find(([beginning]) => base64.startsWith(beginning));
  if (!known) return no('image_url_malformed');
  return { kind: 'data', mediaType: known[1], base64 };
}

function readFile(file: JsonObject): Part {
  const name = typeof file.filename === 'string' ? { name: file.filename } : {};
  if (typeof file.file_data === 'string') return { type: 'file', source: sourceOf(file.file_data), ...name };
  if (typeof file.file_id !== 'string') return no('file_without_data');
  return { type: 'file', source: { kind: 'id', id: file.file_id, owner: own }, ...name };
}

/** An address, or data in one. Base64 without a media type is assumed to be a PDF, the most common file. */
function sourceOf(url: string): Source {
  const data = /^data:([^;,]*)((?:;[^;,]+)*),/.exec(url.slice(0, 300));
  if (!data) {
    return /^https?:/.test(url)
      ? { kind: 'url', url }
      : { kind: 'data', mediaType: 'application/pdf', base64: url };
  }
  const rest = url.slice(data[0].length);
  const isBase64 = data[2]!.includes(';base64');
  return {
    kind: 'data',
    mediaType: data[1] || 'text/plain',
    base64: isBase64 ? rest : Buffer.from(decoded(rest)).toString('base64'),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

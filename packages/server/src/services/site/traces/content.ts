import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.ts';

/** A message in the format of the conventions. */
interface Message {
  role: string;
  parts: { type: string; content?: string }[];
  finish_reason?: string;
}

/** Maximum of recorded text of a conversation. The latest messages are kept, and only whole ones. */
const maxLength = 64 * 1024;

/** `gen_ai.input.messages`: the caller's messages, in any protocol. */
export function inputMessages(asked: JsonObject): string {
  const lists = [asked['messages'], asked['contents'], asked['input'], asked['prompt']];
  const found = lists.find((each) => each !== undefined);
  const messages = (Array.isArray(found) ? found : [found ?? '']).map(messageOf);
  return latest(messages);
}

function messageOf(message: Json): Message {
  if (!isObject(message)) return { role: 'user', parts: [partOf(message)] };
  const role = textOf(message['role']) || 'user';
  const content = message['content'] ?? message['parts'] ?? '';
  return { role, parts: (Array.isArray(content) ? content : [content]).map(partOf) };
}

/** Text unchanged; other parts, such as an image or a tool call, by their kind only. */
function partOf(part: Json): Message['parts'][number] {
  if (typeof part === 'string') return { type: 'text', content: part };
  if (!isObject(part)) return { type: 'unknown' };
  const text = part['text'];
  return typeof text === 'string'
    ? { type: 'text', content: text }
    : { type: textOf(part['type']) || (Object.keys(part)[0] ?? 'unknown') };
}

function latest(messages: Message[]): string {
  const kept: string[] = [];
  let length = 2;
  for (const message of messages.toReversed()) {
    const text = JSON.stringify(message);
    length += text.length + 1;
    if (length > maxLength) break;
    kept.unshift(text);
  }
  return `[${kept.join(',')}]`;
}

/** `gen_ai.output.messages`: the answer. */
export function outputMessages(
  { output, reasoning }: { output: string; reasoning: string },
  finishReason: string,
): string {
  const thoughts = reasoning === '' ? [] : [{ type: 'reasoning', content: reasoning }];
  const parts = [...thoughts, { type: 'text', content: output }];
  const message: Message = { role: 'assistant', parts, finish_reason: finishReason };
  return JSON.stringify([message]);
}

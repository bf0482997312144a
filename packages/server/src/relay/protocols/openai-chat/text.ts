import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.ts';
import type { TextReader, TextSink } from '../../streams/index.ts';
import { namesEnd, usageIn } from '../../families/openai/index.ts';
import { mediaIn } from './media.ts';

/** Takes the text out of the answers to a request: chunks (`delta`) or a whole one (`message`), as all vendors spell them. */
export const readChatText =
  (asked: JsonObject): TextReader =>
  (body, sink) =>
    readBody(body, asked, sink);

function readBody(body: JsonObject, asked: JsonObject, sink: TextSink): void {
  const usage = usageIn(body);
  if (usage) sink.usage(usage);
  if (!Array.isArray(body.choices)) return;
  for (const choice of body.choices) {
    if (!isObject(choice)) continue;
    // Perplexity repeats the whole message beside each delta.
    const message = isObject(choice.delta) ? choice.delta : choice.message;
    if (isObject(message)) {
      readMessage(message, sink);
      const by = { asked, model: textOf(body.model) };
      for (const made of mediaIn(message, by, message !== choice.delta)) sink.media(made);
    }
    if (namesEnd(choice.finish_reason)) sink.finish();
  }
}

function readMessage(message: JsonObject, sink: TextSink): void {
  readContent(message.content, sink);
  sink.output(textOf(message.refusal));
  // Some vendors send the same thoughts under both names.
  const thoughts = textOf(message.reasoning_content) || textOf(message.reasoning);
  sink.reasoning(thoughts || listedThoughts(message.reasoning_details));
  if (isObject(message.audio)) sink.output(textOf(message.audio.transcript));
  if (isObject(message.function_call)) readCall(message.function_call, sink);
  if (!Array.isArray(message.tool_calls)) return;
  for (const call of message.tool_calls) {
    if (isObject(call) && isObject(call.function)) readCall(call.function, sink);
  }
}

function readCall(call: JsonObject, sink: TextSink): void {
  if (textOf(call.name) !== '') sink.toolCall();
  sink.output(textOf(call.name));
  sink.output(textOf(call.arguments));
}

/** A text, or a list of parts: Mistral puts its thoughts among them. */
function readContent(content: Json | undefined, sink: TextSink): void {
  if (!Array.isArray(content)) return sink.output(textOf(content));
  for (const part of content) {
    if (!isObject(part)) continue;
    sink.output(textOf(part.text));
    sink.reasoning(thinkingText(part.thinking));
  }
}

/** Mistral's thoughts: a text or a list of text parts. */
export function thinkingText(thinking: Json | undefined): string {
  if (!Array.isArray(thinking)) return textOf(thinking);
  return thinking.map((part) => (isObject(part) ? textOf(part.text) : '')).join('');
}

/** Reasoning of vendors that send it only in a list; an entry with a signature repeats earlier pieces. */
function listedThoughts(details: Json | undefined): string {
  if (!Array.isArray(details)) return '';
  return details
    .map((detail) => (isObject(detail) && detail.signature === undefined ? textOf(detail.text) : ''))
    .join('');
}

import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { TextSink } from '../../model/passing/text-tap.ts';
import { usageIn } from '../../model/openai/wire.ts';

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Takes the text out of a chunk (`delta`) or a whole answer (`message`), in the spellings of all vendors. */
export function readChatText(body: JsonObject, sink: TextSink): void {
  const usage = usageIn(body);
  if (usage) sink.usage(usage);
  if (!Array.isArray(body.choices)) return;
  for (const choice of body.choices) {
    if (!isObject(choice)) continue;
    // Perplexity repeats the whole message beside each delta.
    const message = isObject(choice.delta) ? choice.delta : choice.message;
    if (isObject(message)) readMessage(message, sink);
    if (typeof choice.finish_reason === 'string') sink.finish();
  }
}

function readMessage(message: JsonObject, sink: TextSink): void {
  readContent(message.content, sink);
  sink.output(text(message.refusal));
  // Some vendors send the same thoughts under both names.
  sink.reasoning(text(message.reasoning_content) || text(message.reasoning));
  if (isObject(message.audio)) sink.output(text(message.audio.transcript));
  if (isObject(message.function_call)) readCall(message.function_call, sink);
  if (!Array.isArray(message.tool_calls)) return;
  for (const call of message.tool_calls) {
    if (isObject(call) && isObject(call.function)) readCall(call.function, sink);
  }
}

function readCall(call: JsonObject, sink: TextSink): void {
  if (text(call.name) !== '') sink.toolCall();
  sink.output(text(call.name));
  sink.output(text(call.arguments));
}

/** A text, or a list of parts: Mistral puts its thoughts among them. */
function readContent(content: Json | undefined, sink: TextSink): void {
  if (!Array.isArray(content)) return sink.output(text(content));
  for (const part of content) {
    if (!isObject(part)) continue;
    sink.output(text(part.text));
    sink.reasoning(thinkingText(part.thinking));
  }
}

/** Mistral's thoughts: a text or a list of text parts. */
export function thinkingText(thinking: Json | undefined): string {
  if (!Array.isArray(thinking)) return text(thinking);
  return thinking.map((part) => (isObject(part) ? text(part.text) : '')).join('');
}

import { type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import type { TextSink } from '../../streams/index.ts';
import { usageIn } from './usage.ts';

/** Events whose `delta` the model wrote. */
const outputDeltas = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
  'response.mcp_call_arguments.delta',
  'response.code_interpreter_call_code.delta',
]);
const reasoningDeltas = new Set(['response.reasoning_summary_text.delta', 'response.reasoning_text.delta']);

/** Takes the text out of an event, or out of a whole answer. */
export function readResponsesText(body: JsonObject, sink: TextSink): void {
  const type = textOf(body.type);
  if (outputDeltas.has(type)) sink.output(textOf(body.delta));
  else if (reasoningDeltas.has(type)) sink.reasoning(textOf(body.delta));
  else if (type === 'response.output_item.added') readCall(objectOf(body.item), sink);
  else if (Array.isArray(body.output)) readAnswer(body, sink);
}

/** The call's name; its arguments follow in deltas. */
function readCall(item: JsonObject, sink: TextSink): void {
  if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return;
  sink.toolCall();
  sink.output(textOf(item.name));
}

function readAnswer(body: JsonObject, sink: TextSink): void {
  const usage = usageIn(body);
  if (usage) sink.usage(usage);
  for (const item of objectsIn(body.output)) {
    readCall(item, sink);
    sink.output(textOf(item.arguments) || textOf(item.input) || textOf(item.code));
    for (const part of objectsIn(item.content)) {
      if (item.type === 'reasoning') sink.reasoning(textOf(part.text));
      else sink.output(textOf(part.text) || textOf(part.refusal));
    }
    for (const part of objectsIn(item.summary)) sink.reasoning(textOf(part.text));
  }
}

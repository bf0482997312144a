import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { maxImageTokens, partialImageTokens, secondsOfSound } from '../../families/openai/index.ts';
import type { TextReader, TextSink } from '../../streams/index.ts';
import type { DeliveredMedia, MediaRule } from '../../types/index.ts';
import { kindOf } from './read-output.ts';
import { imageTokensOf, usageIn } from './usage.ts';

/** Events with a `delta` of the model's text. */
const outputDeltas = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
  'response.mcp_call_arguments.delta',
  'response.code_interpreter_call_code.delta',
  'response.audio.transcript.delta',
]);
const reasoningDeltas = new Set(['response.reasoning_summary_text.delta', 'response.reasoning_text.delta']);

/** The events with a piece of sound, and with an image before it is finished. */
const soundDelta = 'response.audio.delta';
const partialImage = 'response.image_generation_call.partial_image';

/** Parts of their names, and of the name of an item that is an image. */
const marks = ['nse.audio.', 'image'].map((mark) => Buffer.from(mark));

const soundOf = (base64: string): Partial<DeliveredMedia> => ({
  soundSeconds: secondsOfSound(base64, 'pcm16'),
});

/** The images of one answer, each counted once: at its first part. */
class DrawnImages {
  private readonly begun = new Set<Json | undefined>();

  /** An image before it is finished. */
  part(event: JsonObject, sink: TextSink): void {
    const image = this.begun.has(event.output_index) ? 0 : maxImageTokens(textOf(event.partial_image_b64));
    this.begun.add(event.output_index);
    sink.media({ imageTokens: image + partialImageTokens });
  }

  /** An item that may be a finished image. */
  whole(index: Json | undefined, item: JsonObject, sink: TextSink): void {
    const tokens = index !== undefined && this.begun.has(index) ? 0 : imageTokensOf(item);
    if (tokens > 0) sink.media({ imageTokens: tokens });
  }
}

/** Opens the reader of one answer: takes the text out of its events, or out of the whole answer. */
export function readResponsesText(): TextReader {
  const drawn = new DrawnImages();
  /** The last item that began is reasoning. */
  let isThought = false;
  return (body, sink) => {
    const type = textOf(body.type);
    if (outputDeltas.has(type)) sink.output(textOf(body.delta));
    else if (reasoningDeltas.has(type)) sink.reasoning(textOf(body.delta));
    else if (type === soundDelta) sink.media(soundOf(textOf(body.delta)));
    else if (type === partialImage) drawn.part(body, sink);
    else if (type === 'response.output_item.added') {
      const item = objectOf(body.item);
      isThought = kindOf(item) === 'reasoning';
      readCall(item, sink);
    } else if (type === 'response.output_item.done')
      drawn.whole(body.output_index, objectOf(body.item), sink);
    else if (Array.isArray(body.output)) readAnswer(body, drawn, sink);
    else if (!type.startsWith('response.')) readUnnamed(body, isThought, sink);
  };
}

/** The call's name; its arguments follow in deltas. */
function readCall(item: JsonObject, sink: TextSink): void {
  if (kindOf(item) !== 'call') return;
  sink.toolCall();
  sink.output(textOf(item.name));
}

/** An event of an unknown type: the start of an item, a piece of text, or the response at its end. */
function readUnnamed({ item, delta, response }: JsonObject, isThought: boolean, sink: TextSink): void {
  if (isObject(item) && item.status !== 'completed') readCall(item, sink);
  if (isThought) sink.reasoning(textOf(delta));
  else sink.output(textOf(delta));
  if (!isObject(response) || !isObject(response.usage)) return;
  readUsage(response, sink);
  sink.finish();
}

function readUsage(response: JsonObject, sink: TextSink): void {
  const usage = usageIn(response);
  if (usage) sink.usage(usage);
}

function readAnswer(body: JsonObject, drawn: DrawnImages, sink: TextSink): void {
  readUsage(body, sink);
  for (const item of objectsIn(body.output)) {
    readCall(item, sink);
    drawn.whole(undefined, item, sink);
    sink.output(textOf(item.arguments) || textOf(item.input) || textOf(item.code));
    for (const part of objectsIn(item.content)) {
      if (kindOf(item) === 'reasoning') sink.reasoning(textOf(part.text));
      else sink.output(textOf(part.text) || textOf(part.refusal));
    }
    for (const part of objectsIn(item.summary)) sink.reasoning(textOf(part.text));
  }
}

/** The media of this protocol's answers: a tool of the vendor's draws them. */
export const responsesMedia: MediaRule = {
  marks,
  measure: ({ source, extra }) =>
    source.kind === 'data'
      ? { imageTokens: maxImageTokens(source.base64, textOf(extra?.fields.quality)) }
      : {},
};

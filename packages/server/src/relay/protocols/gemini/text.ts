import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { googleMedia, inlineData, withSearches } from '../../families/google/index.ts';
import type { TextSink } from '../../streams/index.ts';

/** Takes the text out of a chunk or a whole answer; both have the same shape. */
export function readGeminiText(body: JsonObject, sink: TextSink): void {
  const usage = body.usageMetadata;
  if (isObject(usage)) sink.usage(withSearches(usage, body));
  if (typeof objectOf(body.promptFeedback).blockReason === 'string') sink.finish();
  for (const candidate of objectsIn(body.candidates)) {
    for (const part of objectsIn(objectOf(candidate.content).parts)) readPart(part, sink);
    if (typeof candidate.finishReason === 'string') sink.finish();
  }
}

function readPart(part: JsonObject, sink: TextSink): void {
  if (part.thought === true) sink.reasoning(textOf(part.text));
  else sink.output(textOf(part.text));
  const media = inlineData(part);
  if (media) sink.media(googleMedia(media.mediaType, media.base64));
  const { functionCall, executableCode, codeExecutionResult } = part;
  if (isObject(functionCall)) {
    sink.toolCall();
    sink.output(textOf(functionCall.name));
    sink.output(JSON.stringify(functionCall.args ?? {}));
  }
  if (isObject(executableCode)) sink.output(textOf(executableCode.code));
  if (isObject(codeExecutionResult)) sink.output(textOf(codeExecutionResult.output));
}

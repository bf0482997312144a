import { writeGeminiError, writeGeminiStreamError } from '../../model/gemini/error.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../model/json.ts';
import { choicesOf, refuser, tokenBound } from '../../model/openai/guards.ts';
import { estimateInput, type MediaSize } from '../../model/openai/input-size.ts';
import type { BodySizes, Inbound, RequestFacts } from '../../model/protocol.ts';

const no = refuser('invalid_request');

/** Tokens assumed for what the text does not tell (wire-facts 11.4); for holds, so on the high side. */
const partTokens = { image: 1_105, other: 5_000 };

/** Reads what the gateway must know of a request. The path has put the model and the stream's wish into the body. */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = textOf(body.model);
  if (model === '') return no('the path must name a model');
  const { contents } = body;
  if (!Array.isArray(contents) || contents.length === 0) return no('contents is not specified');
  if (!contents.every((content) => isObject(content))) return no('each of contents must be an object');
  const config = configOf(body);
  const media = mediaSize(contents);
  const stream = body.stream === true;
  return {
    model,
    stream,
    // Gemini reports its usage in any case.
    wantsStreamUsage: stream,
    maxOutputTokens: Math.max(
      tokenBound(config, 'maxOutputTokens', no),
      tokenBound(config, 'max_output_tokens', no),
    ),
    estimatedInputTokens: estimateInput(sizes, media.binaryLength, media.tokens),
    choices: Math.max(choicesOf(config, 'candidateCount', no), choicesOf(config, 'candidate_count', no)),
  };
}

/** Google reads field names in camel and in snake case; bounds that size money are looked for under both. */
function configOf(body: JsonObject): JsonObject {
  for (const field of ['generationConfig', 'generation_config']) {
    const value = body[field];
    if (value !== undefined && value !== null && !isObject(value)) return no(`${field} must be an object`);
  }
  return { ...objectOf(body.generation_config), ...objectOf(body.generationConfig) };
}

function mediaSize(contents: readonly Json[]): MediaSize {
  const size: MediaSize = { binaryLength: 0, tokens: 0 };
  for (const content of objectsIn([...contents])) {
    for (const part of objectsIn(content.parts)) {
      const inline = objectOf(part.inlineData ?? part.inline_data);
      const data = textOf(inline.data);
      const hasFile = isObject(part.fileData) || isObject(part.file_data);
      if (data === '' && !hasFile) continue;
      size.binaryLength += data.length;
      const isImage = textOf(inline.mimeType ?? inline.mime_type).startsWith('image/');
      size.tokens += isImage ? partTokens.image : partTokens.other;
    }
  }
  return size;
}

export const geminiInbound: Inbound = {
  id: 'gemini',
  readFacts,
  writeError: writeGeminiError,
  writeStreamError: writeGeminiStreamError,
  ping: Buffer.from(': PING\n\n'),
};

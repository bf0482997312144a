import { mayCostMore } from '@tollgate/contract';
import {
  addGeminiUsage,
  askedImageTokens,
  writeGeminiError,
  writeGeminiStreamError,
} from '../../families/google/index.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import {
  choicesOf,
  refuser,
  tokenBound,
  addImage,
  conversationSize,
  inlineImage,
  type MediaSize,
  noMedia,
} from '../../families/openai/index.ts';
import { hostedOffers, toolUses } from '../../conversation/index.ts';
import { field, hostedTypes } from './fields.ts';
import type { BodySizes, Inbound, RequestFacts } from '../../types/index.ts';

const no = refuser('invalid_request');

/** Assumed tokens of a file (docs/compatibility.md#token-counting); a high number, because it is for holds. */
const otherTokens = 5_000;

/** Reads the facts of a Gemini request. Model and streaming were copied from the path into the body. */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = textOf(body.model);
  if (model === '') return no('path_without_model');
  const { contents } = body;
  if (!Array.isArray(contents) || contents.length === 0)
    return no('field_not_specified', { field: 'contents' });
  if (!contents.every((content) => isObject(content))) return no('field_not_objects', { field: 'contents' });
  const config = configOf(body);
  const media = mediaSize(contents, model);
  media.isOpen ||= (body.cachedContent ?? body.cached_content ?? undefined) !== undefined;
  const stream = body.stream === true;
  const hostedTools = hostedOffers('gemini', hostedTypes(body));
  return {
    model,
    stream,
    // Gemini always reports its usage.
    wantsStreamUsage: stream,
    maxOutputTokens: Math.max(
      tokenBound(config, 'maxOutputTokens', no),
      tokenBound(config, 'max_output_tokens', no),
    ),
    ...conversationSize(sizes, media),
    ...(mayCostMore(body.serviceTier ?? body.service_tier) && { mayCostMore: true }),
    ...(hostedTools && { hostedTools }),
    ...toolUses(model, hostedTools, imageTokensAsked(config)),
    ...functionsOf(body),
    choices: Math.max(choicesOf(config, 'candidateCount', no), choicesOf(config, 'candidate_count', no)),
  };
}

/** Output tokens of the image that is requested within the text. */
function imageTokensAsked(config: JsonObject): number {
  const modalities = field(config, 'responseModalities');
  const isAsked =
    Array.isArray(modalities) && modalities.some((each) => textOf(each).toUpperCase() === 'IMAGE');
  return isAsked ? askedImageTokens(textOf(field(objectOf(field(config, 'imageConfig')), 'imageSize'))) : 0;
}

function functionsOf({ tools }: JsonObject): Pick<RequestFacts, 'functions'> {
  const isOffered = objectsIn(tools).some(
    ({ functionDeclarations, function_declarations: snake }) =>
      functionDeclarations !== undefined || snake !== undefined,
  );
  return isOffered ? { functions: {} } : {};
}

/** Google reads field names in camel and in snake case; bounds that affect money are read under both names. */
function configOf(body: JsonObject): JsonObject {
  for (const field of ['generationConfig', 'generation_config']) {
    const value = body[field];
    if (value !== undefined && value !== null && !isObject(value)) return no('field_not_object', { field });
  }
  return { ...objectOf(body.generation_config), ...objectOf(body.generationConfig) };
}

function mediaSize(contents: readonly Json[], model: string): MediaSize {
  const size = noMedia();
  for (const content of objectsIn([...contents])) {
    for (const part of objectsIn(content.parts)) {
      const inline = objectOf(part.inlineData ?? part.inline_data);
      const data = textOf(inline.data);
      const hasFile = isObject(part.fileData) || isObject(part.file_data);
      if (data === '' && !hasFile) continue;
      size.binaryLength += data.length;
      const isImage = textOf(inline.mimeType ?? inline.mime_type).startsWith('image/');
      if (isImage) addImage(size, inlineImage(data), model);
      else {
        size.tokens += otherTokens;
        size.isOpen = true;
      }
    }
  }
  return size;
}

export const geminiInbound: Inbound = {
  id: 'gemini',
  readFacts,
  writeError: writeGeminiError,
  writeStreamError: writeGeminiStreamError,
  addUsage: addGeminiUsage,
  ping: Buffer.from(': PING\n\n'),
};

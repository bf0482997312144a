import { counter } from '@tollgate/contract';
import { fromOpenaiEmbeddings, toOpenaiEmbeddings, packFloats } from '../../families/embeddings/index.ts';
import { type Json, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import { joinUrl } from '../../families/openai/index.ts';
import { type Endpoint, refuse } from '../../types/index.ts';

/** Default purpose of the texts: vectors of documents, the most common use. */
const defaultInputType = 'search_document';

/** OpenAI's embeddings call as Cohere's; `input_type` and `truncate` are Cohere's own and pass. */
function toCohere(body: JsonObject, model: string): JsonObject {
  const { dimensions, truncate } = body;
  return {
    model,
    texts: (Array.isArray(body.input) ? body.input : [body.input ?? null]).map(textIn),
    input_type: textOf(body.input_type) || defaultInputType,
    embedding_types: ['float'],
    ...(typeof dimensions === 'number' && { output_dimension: dimensions }),
    ...(typeof truncate === 'string' && { truncate }),
  };
}

function textIn(input: Json): string {
  if (typeof input === 'string') return input;
  throw refuse('tokens_not_embedded', { protocol: 'cohere' });
}

/** Cohere's answer as OpenAI's; vectors as base64 if the caller requested that. */
function fromCohere(answer: JsonObject, request: JsonObject): JsonObject {
  const vectors = objectOf(answer.embeddings).float;
  // An object without vectors is not an answer and stays unchanged.
  if (!Array.isArray(vectors)) return answer;
  const asBase64 = request.encoding_format === 'base64';
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: asBase64 ? packFloats(vector) : vector,
  }));
  const billed = objectOf(objectOf(answer.meta).billed_units);
  const tokens = counter(billed.input_tokens) + counter(billed.image_tokens);
  return {
    object: 'list',
    data,
    model: textOf(request.model),
    ...(tokens > 0 && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

function replace(body: JsonObject, wanted: JsonObject): undefined {
  for (const key of Object.keys(body)) delete body[key];
  Object.assign(body, wanted);
}

const url: Endpoint['url'] = (channel) => joinUrl(channel, '/v2/embed', '/v2');

/** OpenAI's call for vectors, sent to `/v2/embed`. */
export const openaiEmbeddings: Endpoint = {
  protocol: 'openai-embeddings',
  url,
  adapt: (body, { model }) => replace(body, toCohere(body, model)),
  rewrite: fromCohere,
};

/** Gemini's call is translated through OpenAI's. */
export const geminiEmbeddings: Endpoint = {
  protocol: 'gemini-embeddings',
  url,
  adapt: (body, { model }) => replace(body, toCohere(toOpenaiEmbeddings(body), model)),
  rewrite: (answer, request) => fromOpenaiEmbeddings(fromCohere(answer, {}), request.requests !== undefined),
};

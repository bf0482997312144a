import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { cannotTranslate } from '../../conversation/index.ts';
import { refuse, type Endpoint } from '../../types/index.ts';

/** OpenAI's embeddings call as Gemini's `batchEmbedContents`. */
export function toGeminiEmbeddings(body: JsonObject, model: string): JsonObject {
  const inputs = typeof body.input === 'string' ? [body.input] : Array.isArray(body.input) ? body.input : [];
  const { dimensions } = body;
  const requests = inputs.map((input) => {
    if (typeof input !== 'string') {
      throw refuse('tokens_not_embedded', { protocol: 'gemini' });
    }
    return {
      model: `models/${model}`,
      content: { parts: [{ text: input }] },
      ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    };
  });
  return { requests };
}

/** Gemini's answer as OpenAI's; vectors as base64 if the caller requested that. */
export function fromGeminiEmbeddings(answer: JsonObject, request: JsonObject): JsonObject {
  const list = isObject(answer.embedding) ? [answer.embedding] : answer.embeddings;
  // An object without vectors is not an answer and stays unchanged.
  if (!Array.isArray(list)) return answer;
  const tokens = objectOf(answer.usageMetadata).promptTokenCount;
  const asBase64 = request.encoding_format === 'base64';
  const data = objectsIn(list).map(({ values }, index) => {
    const vector = values ?? [];
    return { object: 'embedding', index, embedding: asBase64 ? packFloats(vector) : vector };
  });
  return {
    object: 'list',
    data,
    model: textOf(request.model),
    ...(typeof tokens === 'number' && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

/** Gemini's embeddings call, of one content or many, as OpenAI's. */
export function toOpenaiEmbeddings(body: JsonObject): JsonObject {
  const requests = body.requests === undefined ? [body] : objectsIn(body.requests);
  const dimensions = requests[0]?.outputDimensionality ?? body.outputDimensionality;
  return {
    model: body.model,
    input: requests.map(({ content }) => textIn(content)),
    ...(typeof dimensions === 'number' && { dimensions }),
  };
}

/** The text of a content. Content with an image is refused, because a vector of the text would differ. */
const textIn = (content: Json | undefined): string =>
  objectsIn(objectOf(content).parts)
    .map((part) => {
      const [other] = Object.keys(part).filter((name) => name !== 'text');
      if (other !== undefined && typeof part.text !== 'string')
        throw cannotTranslate(other, 'openai-embeddings');
      return textOf(part.text);
    })
    .join('\n');

/** OpenAI's answer as Gemini's, in the shape of the call: one vector for one content, a list for a list. */
export function fromOpenaiEmbeddings(answer: JsonObject, isBatch: boolean): JsonObject {
  if (!Array.isArray(answer.data)) return answer;
  const embeddings = objectsIn(answer.data).map(({ embedding }) => ({ values: embedding ?? [] }));
  const tokens = objectOf(answer.usage).prompt_tokens;
  const usage =
    typeof tokens === 'number'
      ? { usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens } }
      : {};
  return isBatch ? { embeddings, ...usage } : { embedding: embeddings[0] ?? { values: [] }, ...usage };
}

/** Embeddings for callers of Gemini's protocol, through a provider's call in OpenAI's. */
export const geminiEmbeddingsAt = (openai: Endpoint): Endpoint => ({
  protocol: 'gemini-embeddings',
  url: (channel, address) => openai.url(channel, address),
  adapt(body) {
    const wanted = toOpenaiEmbeddings(body);
    for (const key of Object.keys(body)) delete body[key];
    Object.assign(body, wanted);
    return undefined;
  },
  rewrite: (answer, request) => fromOpenaiEmbeddings(answer, request.requests !== undefined),
});

/** Little-endian 32-bit floats in base64, as OpenAI packs a vector. */
export function packFloats(vector: Json): string {
  if (!Array.isArray(vector)) return '';
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(typeof value === 'number' ? value : 0, index * 4));
  return bytes.toString('base64');
}

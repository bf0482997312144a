import { fromGeminiEmbeddings } from '../../families/embeddings/index.ts';
import { type Json, type JsonObject, numberOf, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { type Endpoint, refuse } from '../../types/index.ts';
import { googleUrl } from './address.ts';

/** Newer models use Gemini's call, with one content at a time; the others accept a list of texts (`predict`). */
const isAskedLikeGemini = (model: string): boolean =>
  model.startsWith('gemini') && model !== 'gemini-embedding-001';

const verbOf = (model: string): string => (isAskedLikeGemini(model) ? 'embedContent' : 'predict');

/** One text to embed, in the form of either call. */
interface Wanted {
  content: JsonObject;
  taskType: Json | undefined;
  title: Json | undefined;
}

const textIn = ({ content }: Wanted): string =>
  objectsIn(content.parts)
    .map(({ text }) => textOf(text))
    .join('\n');

function write(wanted: readonly Wanted[], dimensions: Json | undefined, model: string): JsonObject {
  const size = typeof dimensions === 'number' ? { outputDimensionality: dimensions } : {};
  if (!isAskedLikeGemini(model)) {
    const instances = wanted.map((one) => ({ content: textIn(one), ...extras(one, 'task_type') }));
    return { instances, ...(dimensions !== undefined && { parameters: size }) };
  }
  const [only] = wanted;
  if (!only || wanted.length > 1) {
    throw refuse('one_embedding_at_once', { model });
  }
  return { content: only.content, ...extras(only, 'taskType'), ...size };
}

const extras = ({ taskType, title }: Wanted, taskName: string): JsonObject => ({
  ...(taskType !== undefined && { [taskName]: taskType }),
  ...(title !== undefined && { title }),
});

/** The answer of either call in Gemini's format; anything else is unchanged. */
function likeGemini(answer: JsonObject): JsonObject {
  if (!Array.isArray(answer.predictions)) return answer;
  const vectors = objectsIn(answer.predictions).map(({ embeddings }) => objectOf(embeddings));
  const tokens = vectors.map(({ statistics }) => numberOf(objectOf(statistics).token_count ?? 0));
  const sum = tokens.reduce((total, each) => total + each, 0);
  return {
    embeddings: vectors.map(({ values }) => ({ values: values ?? [] })),
    usageMetadata: { promptTokenCount: sum, totalTokenCount: sum },
  };
}

/** Replaces the old body with the new one. */
function replace(body: JsonObject, wanted: JsonObject): undefined {
  for (const key of Object.keys(body)) delete body[key];
  Object.assign(body, wanted);
  return undefined;
}

/** Embeddings that are requested in Gemini's protocol, of one content or many. */
export const geminiEmbeddings: Endpoint = {
  protocol: 'gemini-embeddings',
  isDialect: true,
  url: (channel, { model }) => googleUrl(channel, model, verbOf(model)),
  adapt(body, { model }) {
    const requests = body.requests === undefined ? [body] : objectsIn(body.requests);
    const wanted = requests.map(({ content, taskType, title }) => ({
      content: objectOf(content),
      taskType,
      title,
    }));
    return replace(body, write(wanted, requests[0]?.outputDimensionality, model));
  },
  rewrite(answer, request) {
    const { embeddings, ...rest } = likeGemini(answer);
    if (!Array.isArray(embeddings)) return answer;
    return request.requests === undefined
      ? { embedding: embeddings[0] ?? { values: [] }, ...rest }
      : { embeddings, ...rest };
  },
};

/** Embeddings that are requested in OpenAI's protocol. */
export const openaiEmbeddings: Endpoint = {
  protocol: 'openai-embeddings',
  isDialect: true,
  url: (channel, { model }) => googleUrl(channel, model, verbOf(model)),
  adapt(body, { model }) {
    const inputs =
      typeof body.input === 'string' ? [body.input] : Array.isArray(body.input) ? body.input : [];
    const wanted = inputs.map((input) => {
      if (typeof input !== 'string') {
        throw refuse('tokens_not_embedded', { protocol: 'gemini' });
      }
      return { content: { role: 'user', parts: [{ text: input }] }, taskType: undefined, title: undefined };
    });
    return replace(body, write(wanted, body.dimensions, model));
  },
  rewrite: (answer, request) => fromGeminiEmbeddings(likeGemini(answer), request),
};

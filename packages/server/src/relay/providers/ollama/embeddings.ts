import type { JsonObject } from '../../../lib/json.ts';
import { packFloats } from '../../families/embeddings/index.ts';

/** Fields of OpenAI's call that Ollama takes as options of the model. */
const options = ['temperature', 'top_p', 'seed', 'frequency_penalty', 'presence_penalty'] as const;

/** OpenAI's embeddings call as Ollama's. */
export function adaptEmbeddings(body: JsonObject): undefined {
  const given: JsonObject = {};
  for (const key of options) if (body[key] !== undefined) given[key] = body[key];
  const wanted: JsonObject = {
    model: body.model,
    input: body.input,
    ...(body.dimensions !== undefined && { dimensions: body.dimensions }),
    ...(Object.keys(given).length > 0 && { options: given }),
  };
  for (const key of Object.keys(body)) if (!Object.hasOwn(wanted, key)) delete body[key];
  Object.assign(body, wanted);
}

/** Ollama's answer as OpenAI's; vectors as base64 where the caller asked for that. */
export function rewriteEmbeddings(answer: JsonObject, request: JsonObject): JsonObject {
  const vectors = Array.isArray(answer.embeddings) ? answer.embeddings : undefined;
  // Without vectors it is no answer, and is not made to look like one.
  if (!vectors) return answer;
  const asBase64 = request.encoding_format === 'base64';
  const tokens = typeof answer.prompt_eval_count === 'number' ? answer.prompt_eval_count : 0;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: asBase64 ? packFloats(vector) : vector,
    })),
    model: answer.model ?? request.model,
    ...(tokens > 0 && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

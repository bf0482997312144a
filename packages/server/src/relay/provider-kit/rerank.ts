import { counter } from '@tollgate/contract';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import type { Endpoint } from '../types/index.ts';

/** Reranking at an address: the request is sent unchanged, the answer is converted to one format. */
export const rerankAt = (url: Endpoint['url']): Endpoint => ({
  protocol: 'cohere-rerank',
  url,
  rewrite: tidyRerank,
});

/**
 * Converts a reranker's answer to the format that callers expect: documents as objects, all tokens as input. Other
 * fields of the vendor stay. An answer without results is not converted.
 */
export function tidyRerank(answer: JsonObject, request: JsonObject): JsonObject {
  const list = answer.results ?? answer.data;
  if (!Array.isArray(list)) return answer;
  const documents = Array.isArray(request.documents) ? request.documents : [];
  const isWanted = request.return_documents === true;
  const results = objectsIn(list).map(({ document, score, ...result }): JsonObject => {
    const { index, relevance_score: relevance = score } = result;
    const asked = isWanted && typeof index === 'number' ? documents[index] : undefined;
    const shown = documentOf(document) ?? documentOf(asked);
    return { ...result, relevance_score: relevance ?? 0, ...(shown && { document: shown }) };
  });
  const tokens = tokensIn(answer);
  const { data: _data, usage, ...rest } = answer;
  if (tokens === 0) return { ...rest, results };
  const { search_units: searchUnits } = objectOf(usage);
  const units = searchUnits === undefined ? {} : { search_units: searchUnits };
  return { ...rest, results, usage: { ...rerankUsage(tokens), ...units } };
}

/** The usage for callers: reranking has no output. */
export const rerankUsage = (tokens: number): JsonObject => ({
  prompt_tokens: tokens,
  completion_tokens: 0,
  total_tokens: tokens,
});

/** A document in the callers' format; undefined if there is none. */
function documentOf(document: Json | undefined): JsonObject | undefined {
  if (typeof document === 'string') return { text: document };
  return isObject(document) ? document : undefined;
}

/** Jina reports a total, SiliconFlow and Xinference tokens in `meta`, Cohere only its searches: then 0. */
function tokensIn({ usage, meta }: JsonObject): number {
  const reported = objectOf(usage);
  const total =
    counter(reported.total_tokens) || counter(reported.prompt_tokens) + counter(reported.completion_tokens);
  if (total > 0) return total;
  const { tokens, billed_units: billed } = objectOf(meta);
  for (const part of [objectOf(tokens), objectOf(billed)]) {
    const sum = counter(part.input_tokens) + counter(part.output_tokens);
    if (sum > 0) return sum;
  }
  return 0;
}

/** The text of a document in a request; undefined for an image. */
export const documentText = (document: Json | undefined): string | undefined => {
  if (typeof document === 'string') return document;
  const { text } = objectOf(document);
  return typeof text === 'string' ? textOf(text) : undefined;
};

import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { writeOpenaiError, writeOpenaiStreamError } from '../../model/openai/error.ts';
import { refuser, requiredText, wholeNumber } from '../../model/openai/guards.ts';
import { estimateInput, inputFacts } from '../../model/openai/input-size.ts';
import type { BodySizes, Inbound, RequestFacts } from '../../model/protocol.ts';

const no = refuser('invalid_rerank_request');
const noQuery = refuser('invalid_query');
const noDocuments = refuser('invalid_documents');

/** Bounds that vendors know, by either spelling; 2^20 is beyond any of them. */
const bounds = ['top_n', 'max_chunk_per_doc', 'max_chunks_per_doc', 'overlap_tokens', 'max_tokens_per_doc'];
const least: Readonly<Record<string, number>> = { overlap_tokens: 0 };
/** Tokens a picture is taken for in a hold. */
const imageTokens = 1_105;

function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = requiredText(body, 'model', no);
  if (typeof body.query !== 'string' || body.query.trim() === '') return noQuery('field query is required');
  const { documents } = body;
  if (!Array.isArray(documents) || documents.length === 0) {
    return noDocuments('field documents is required');
  }
  const pictures = documents.flatMap(pictureIn);
  for (const name of bounds) {
    wholeNumber(body, name, { least: least[name] ?? 1, most: 2 ** 20, fallback: 1 }, no);
  }
  const { return_documents: wanted } = body;
  if (wanted !== undefined && wanted !== null && typeof wanted !== 'boolean') {
    return no('return_documents must be true or false');
  }
  const dataLength = pictures.reduce((sum, { length }) => sum + length, 0);
  return inputFacts(model, estimateInput(sizes, dataLength, pictures.length * imageTokens));
}

/** Checks a document; the picture in it, where it is one. */
function pictureIn(document: Json): string[] {
  if (typeof document === 'string') return [];
  if (isObject(document)) {
    if (typeof document.text === 'string') return [];
    if (typeof document.image === 'string') return [document.image];
  }
  return noDocuments('each document must be a text, or an object with a text or an image');
}

/** Reranking as Jina and Cohere are asked for it; errors in OpenAI's shape. */
export const rerankInbound: Inbound = {
  id: 'cohere-rerank',
  readFacts,
  writeError: writeOpenaiError,
  writeStreamError: writeOpenaiStreamError,
  ping: Buffer.from(': PING\n\n'),
};

import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import {
  addImage,
  estimateInput,
  inputFacts,
  noMedia,
  refuser,
  requiredText,
  wholeNumber,
  writeOpenaiError,
  writeOpenaiStreamError,
} from '../../families/openai/index.ts';
import type { BodySizes, Inbound, RequestFacts } from '../../types/index.ts';

/** The most documents of one search unit (https://cohere.com/pricing). */
const documentsOfUnit = 100;
/** A longer document, with the query, is split; each chunk counts as a document (the same page). In tokens. */
const tokensOfChunk = 500;
/** A query has at most half of it; a longer one is cut (Cohere's best practices for reranking). */
const tokensOfQuery = 250;
/**
 * The length at which a longer document is cut, unless the caller sets one (`max_tokens_per_doc`, Cohere's reference of
 * version 2).
 */
const defaultTokensPerDocument = 4_096;

/** A high estimate: English has four bytes for a token. */
const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

function textIn(document: Json): string {
  if (typeof document === 'string') return document;
  return isObject(document) && typeof document.text === 'string' ? document.text : '';
}

/**
 * Maximum of search units of a reranking: one per 100 documents, where long documents count by their chunks. For
 * holds; the charge follows the vendor's usage.
 */
function searchUnitsFor(query: string, documents: readonly Json[], bound: number): number {
  const room = tokensOfChunk - Math.min(tokensIn(query), tokensOfQuery);
  const longest = bound || defaultTokensPerDocument;
  let chunks = 0;
  for (const document of documents) {
    const tokens = Math.min(tokensIn(textIn(document)), longest);
    chunks += Math.max(1, Math.ceil(tokens / room));
  }
  return Math.ceil(chunks / documentsOfUnit);
}

const no = refuser('invalid_rerank_request');
const noQuery = refuser('invalid_query');
const noDocuments = refuser('invalid_documents');

/** Bounds of vendors, in either spelling; 2^20 is above all of them. */
const bounds = ['top_n', 'max_chunk_per_doc', 'max_chunks_per_doc', 'overlap_tokens', 'max_tokens_per_doc'];
const least: Readonly<Record<string, number>> = { overlap_tokens: 0 };

function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = requiredText(body, 'model', no);
  if (typeof body.query !== 'string' || body.query.trim() === '')
    return noQuery('field_required', { field: 'query' });
  const { documents } = body;
  if (!Array.isArray(documents) || documents.length === 0) {
    return noDocuments('field_required', { field: 'documents' });
  }
  const pictures = documents.flatMap(pictureIn);
  for (const name of bounds) {
    wholeNumber(body, name, { least: least[name] ?? 1, most: 2 ** 20, fallback: 1 }, no);
  }
  const { return_documents: wanted } = body;
  if (wanted !== undefined && wanted !== null && typeof wanted !== 'boolean') {
    return no('field_not_boolean', { field: 'return_documents' });
  }
  const media = noMedia();
  for (const picture of pictures) {
    media.binaryLength += picture.length;
    addImage(media, picture, model);
  }
  const facts = inputFacts(model, estimateInput(sizes, media.binaryLength, media.tokens));
  if (media.uncounted > 0) facts.uncountedInputTokens = media.uncounted;
  const bound = typeof body.max_tokens_per_doc === 'number' ? body.max_tokens_per_doc : 0;
  const searchUnits = searchUnitsFor(body.query, documents, bound);
  if (searchUnits > 1) facts.searchUnits = searchUnits;
  return facts;
}

/** Checks a document; returns its picture, if there is one. */
function pictureIn(document: Json): string[] {
  if (typeof document === 'string') return [];
  if (isObject(document)) {
    if (typeof document.text === 'string') return [];
    if (typeof document.image === 'string') return [document.image];
  }
  return noDocuments('document_malformed');
}

/** Reranking requests in the form of Jina and Cohere; errors in OpenAI's form. */
export const rerankInbound: Inbound = {
  id: 'cohere-rerank',
  readFacts,
  writeError: writeOpenaiError,
  writeStreamError: writeOpenaiStreamError,
  ping: Buffer.from(': PING\n\n'),
};

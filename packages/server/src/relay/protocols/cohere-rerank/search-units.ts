import { isObject, type Json } from '../../../lib/json.ts';

/** Documents that one search unit ranks at most (https://cohere.com/pricing). */
const documentsOfUnit = 100;
/** Tokens of a document, with the query, beyond which it is split; each chunk counts as a document (the same page). */
const tokensOfChunk = 500;
/** Of which a query has half at most: the rest of a longer one is cut off (Cohere's best practices for reranking). */
const tokensOfQuery = 250;
/** Where a longer document is cut off unless the caller says (`max_tokens_per_doc`, Cohere's reference of version 2). */
const defaultTokensPerDocument = 4_096;

/** Rather more than a vendor counts: English has four bytes for a token. */
const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

function textIn(document: Json): string {
  if (typeof document === 'string') return document;
  return isObject(document) && typeof document.text === 'string' ? document.text : '';
}

/**
 * The search units that Cohere makes of a reranking at most: one for each 100 documents, of which long ones count by their
 * chunks. For holds; what is charged is what the vendor reports.
 */
export function searchUnitsFor(query: string, documents: readonly Json[], bound: number): number {
  const room = tokensOfChunk - Math.min(tokensIn(query), tokensOfQuery);
  const longest = bound || defaultTokensPerDocument;
  let chunks = 0;
  for (const document of documents) {
    const tokens = Math.min(tokensIn(textIn(document)), longest);
    chunks += Math.max(1, Math.ceil(tokens / room));
  }
  return Math.ceil(chunks / documentsOfUnit);
}

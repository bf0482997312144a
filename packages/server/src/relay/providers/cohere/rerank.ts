import type { Json, JsonObject } from '../../../lib/json.ts';
import { joinUrl } from '../../families/openai/index.ts';
import { type Endpoint, refuse } from '../../types/index.ts';
import { documentText, rerankAt, tidyRerank } from '../../provider-kit/index.ts';

/** Fields of other vendors' rerankers that version 2 does not know. */
const unknownFields = ['return_documents', 'max_chunk_per_doc', 'max_chunks_per_doc', 'overlap_tokens'];

function textIn(document: Json): string {
  const text = documentText(document);
  if (text !== undefined) return text;
  throw refuse('pictures_not_reranked', { protocol: 'cohere' });
}

/** Version 2 takes texts alone and shows none: documents are shown from the request, unless the caller wants none. */
export const rerank: Endpoint = {
  ...rerankAt((channel) => joinUrl(channel, '/v2/rerank', '/v2')),
  adapt(body: JsonObject) {
    for (const name of unknownFields) delete body[name];
    const documents = Array.isArray(body.documents) ? body.documents : [];
    if (documents.some((document) => typeof document !== 'string')) body.documents = documents.map(textIn);
    return undefined;
  },
  rewrite: (answer, request) =>
    tidyRerank(answer, { ...request, return_documents: request.return_documents !== false }),
};

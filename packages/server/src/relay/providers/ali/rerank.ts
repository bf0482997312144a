import { isObject, type JsonObject, objectOf } from '../../../lib/json.ts';
import { joinUrl } from '../../families/openai/index.ts';
import { type Endpoint, refuse } from '../../types/index.ts';
import { documentText, tidyRerank } from '../../provider-kit/index.ts';
import { readDashscopeError } from './errors.ts';

/** Reranking in DashScope's own words: texts alone, the options in `parameters`. */
export const aliRerank: Endpoint = {
  protocol: 'cohere-rerank',
  isDialect: true,
  url: (channel) => joinUrl(channel, '/api/v1/services/rerank/text-rerank/text-rerank'),
  adapt(body) {
    const { model, query, documents, top_n, return_documents } = body;
    const texts = (Array.isArray(documents) ? documents : []).map((document) => {
      const text = documentText(document);
      if (text === undefined) throw refuse('texts_reranked_alone', { provider: 'DashScope' });
      return text;
    });
    for (const key of Object.keys(body)) delete body[key];
    Object.assign(body, { model, input: { query, documents: texts } });
    body.parameters = { ...(top_n !== undefined && { top_n }), return_documents: return_documents === true };
    return undefined;
  },
  rewrite: (answer: JsonObject, request: JsonObject) =>
    isObject(answer.output)
      ? tidyRerank({ ...objectOf(answer.output), usage: answer.usage }, request)
      : answer,
  readError: readDashscopeError,
};

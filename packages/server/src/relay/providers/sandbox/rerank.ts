import type { JsonObject } from '../../../lib/json.ts';
import { documentText, rerankUsage } from '../../provider-kit/index.ts';
import { countTokens, pieces } from './text.ts';

const wordsOf = (text: string): Set<string> =>
  new Set(pieces(text.toLowerCase()).map((piece) => piece.trim()));

/** The best documents first: a document's score is the share of the query's words that stand in it. */
export function rerank(body: JsonObject, isSilent: boolean): JsonObject {
  const query = typeof body.query === 'string' ? body.query : '';
  const texts = (Array.isArray(body.documents) ? body.documents : []).map((each) => documentText(each) ?? '');
  const asked = wordsOf(query);
  const scored = texts.map((text, index) => {
    const words = wordsOf(text);
    const found = [...asked].filter((word) => words.has(word)).length;
    return { index, relevance_score: asked.size === 0 ? 0 : found / asked.size };
  });
  const ranked = scored.toSorted((one, other) => other.relevance_score - one.relevance_score);
  const most = typeof body.top_n === 'number' ? body.top_n : ranked.length;
  const tokens = [query, ...texts].reduce((sum, text) => sum + countTokens(text), 0);
  return {
    id: 'rerank-sandbox',
    model: body.model,
    results: ranked.slice(0, most),
    ...(!isSilent && { usage: rerankUsage(tokens) }),
  };
}

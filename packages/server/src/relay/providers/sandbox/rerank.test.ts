import { expect, test } from 'vitest';
import { rerank } from './index.ts';

const body = {
  model: 'sandbox-rerank',
  query: 'red apple',
  documents: ['a green pear', { text: 'An apple' }, 'a red apple', { image: 'x' }],
};

test('the sandbox puts documents with more words of the query first, ties in their order, and reports its tokens', () => {
  expect(rerank(body, false)).toEqual({
    id: 'rerank-sandbox',
    model: 'sandbox-rerank',
    results: [
      { index: 2, relevance_score: 1 },
      { index: 1, relevance_score: 0.5 },
      { index: 0, relevance_score: 0 },
      { index: 3, relevance_score: 0 },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 },
  });
  expect(rerank({ ...body, top_n: 1 }, false).results).toEqual([{ index: 2, relevance_score: 1 }]);
  expect(rerank(body, true).usage).toBeUndefined();
});

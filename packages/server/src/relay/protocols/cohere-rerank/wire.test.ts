import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('cohere-rerank'), import.meta.dirname, [
  {
    asked: 'cohere-rerank',
    url: plainUrl,
    answer: 'whole.json',
    usage: { input: 15 },
    shown: 'relevance_score',
  },
]);

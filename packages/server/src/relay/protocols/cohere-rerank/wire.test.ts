import { plainProvider, plainUrl, proveAnswers } from '../../../testing/wire/wire-proof.ts';

proveAnswers(plainProvider('cohere-rerank'), import.meta.dirname, [
  {
    asked: 'cohere-rerank',
    url: plainUrl,
    answer: 'whole.json',
    usage: { input: 15 },
    shown: 'relevance_score',
  },
]);

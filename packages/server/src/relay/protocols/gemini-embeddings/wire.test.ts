import { plainProvider, plainUrl, proveAnswers } from '../../../testing/wire/wire-proof.ts';

proveAnswers(plainProvider('gemini-embeddings'), import.meta.dirname, [
  {
    asked: 'gemini-embeddings',
    url: plainUrl,
    answer: 'whole.json',
    usage: 'counted here',
    path: '/v1beta/models/m:embedContent',
    shown: '0.125',
  },
]);

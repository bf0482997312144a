import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('gemini-embeddings'), import.meta.dirname, [
  {
    asked: 'gemini-embeddings',
    url: plainUrl,
    answer: 'whole.json',
    usage: 'counted here',
    path: '/v1beta/models/m:embedContent',
    shown: '0.125',
  },
]);

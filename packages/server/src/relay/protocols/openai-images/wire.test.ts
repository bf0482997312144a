import { plainProvider, plainUrl, proveAnswers } from '../../../testing/wire/wire-proof.ts';

proveAnswers(plainProvider('openai-images'), import.meta.dirname, [
  {
    asked: 'openai-images',
    url: plainUrl,
    answer: 'tokens.json',
    usage: { input: 9, imageOutput: 272 },
    path: '/v1/images/generations',
  },
  {
    asked: 'openai-images',
    url: plainUrl,
    answer: 'address.json',
    usage: 'counted here',
    path: '/v1/images/generations',
    shown: 'images.test',
  },
]);

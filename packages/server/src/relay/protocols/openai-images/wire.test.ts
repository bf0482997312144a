import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('openai-images'), import.meta.dirname, [
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

import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('openai-audio'), import.meta.dirname, [
  {
    asked: 'openai-audio',
    url: plainUrl,
    answer: 'tokens.json',
    usage: { input: 2, audioInput: 12, output: 3 },
    path: '/v1/audio/transcriptions',
    shown: 'Hello.',
  },
  {
    asked: 'openai-audio',
    url: plainUrl,
    answer: 'seconds.json',
    usage: { input: 33 },
    path: '/v1/audio/transcriptions',
    shown: 'Hello.',
  },
]);

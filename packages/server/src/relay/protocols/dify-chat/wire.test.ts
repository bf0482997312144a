import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('dify-chat'), import.meta.dirname, [
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 33, output: 4 },
    shown: 'lo.',
  },
]);

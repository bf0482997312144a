import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('gemini'), import.meta.dirname, [
  {
    asked: 'gemini',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 9, output: 3, reasoning: 24 },
    shown: 'lo.',
  },
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 9, output: 3, reasoning: 24 },
    shown: '[DONE]',
  },
]);

import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('openai-responses'), import.meta.dirname, [
  {
    asked: 'openai-responses',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 4, cacheRead: 16, output: 3, reasoning: 6 },
    shown: 'response.completed',
  },
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 4, cacheRead: 16, output: 3, reasoning: 6 },
    shown: 'Hello.',
  },
  {
    asked: 'openai-responses',
    url: plainUrl,
    answer: 'whole.json',
    usage: { input: 10, output: 2, reasoning: 5 },
    body: { stream: false },
    shown: 'Hello.',
  },
]);

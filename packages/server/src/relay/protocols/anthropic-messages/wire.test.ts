import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('anthropic-messages'), import.meta.dirname, [
  {
    asked: 'anthropic-messages',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 10, cacheWrite5m: 3, cacheWrite1h: 2, cacheRead: 7, output: 6 },
    shown: 'message_stop',
  },
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 10, cacheWrite5m: 3, cacheWrite1h: 2, cacheRead: 7, output: 6 },
    shown: '[DONE]',
  },
  {
    asked: 'anthropic-messages',
    url: plainUrl,
    answer: 'whole.json',
    usage: { input: 8, cacheRead: 2, output: 3 },
    body: { stream: false },
    shown: 'Hello.',
  },
]);

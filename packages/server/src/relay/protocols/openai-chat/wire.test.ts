import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('openai-chat'), import.meta.dirname, [
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 11, cacheRead: 8, output: 3, reasoning: 4 },
    shown: '"content":"Hel"',
  },
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'whole.json',
    usage: { input: 6, audioInput: 4, output: 2, reasoning: 5 },
    shown: 'Hello.',
  },
  {
    asked: 'anthropic-messages',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 11, cacheRead: 8, output: 3, reasoning: 4 },
    shown: 'message_stop',
  },
]);

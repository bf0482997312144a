import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('openai-completions'), import.meta.dirname, [
  {
    asked: 'openai-completions',
    url: plainUrl,
    answer: 'whole.json',
    usage: { input: 2, output: 3 },
    shown: 'lo.',
  },
  {
    asked: 'openai-completions',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 2, output: 3 },
    body: { stream: true },
    shown: 'lo.',
  },
]);

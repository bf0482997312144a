import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('coze-chat'), import.meta.dirname, [
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 16, output: 4 },
    shown: 'lo.',
  },
]);

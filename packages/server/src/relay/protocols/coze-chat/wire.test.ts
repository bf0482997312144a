import { plainProvider, plainUrl, proveAnswers } from '../../../testing/wire/wire-proof.ts';

proveAnswers(plainProvider('coze-chat'), import.meta.dirname, [
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 16, output: 4 },
    shown: 'lo.',
  },
]);

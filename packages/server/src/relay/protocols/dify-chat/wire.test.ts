import { plainProvider, plainUrl, proveAnswers } from '../../../testing/wire/wire-proof.ts';

proveAnswers(plainProvider('dify-chat'), import.meta.dirname, [
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'stream.sse',
    usage: { input: 33, output: 4 },
    shown: 'lo.',
  },
]);

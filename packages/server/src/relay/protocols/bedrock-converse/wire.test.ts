import { plainProvider, plainUrl, proveAnswers } from '../../../testing/wire/wire-proof.ts';

proveAnswers(plainProvider('bedrock-converse'), import.meta.dirname, [
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'whole.json',
    usage: { input: 9, output: 4 },
    body: { stream: false },
    shown: 'Hello.',
  },
]);

import { plainProvider, plainUrl, proveAnswers } from '../../../testing/wire/wire-proof.ts';

proveAnswers(plainProvider('cohere-chat'), import.meta.dirname, [
  { asked: 'openai-chat', url: plainUrl, answer: 'stream.sse', usage: { input: 3, output: 4 }, shown: 'lo.' },
]);

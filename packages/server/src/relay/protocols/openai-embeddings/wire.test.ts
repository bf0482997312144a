import { plainProvider, plainUrl, proveAnswers } from '../../../testing/wire/wire-proof.ts';

proveAnswers(plainProvider('openai-embeddings'), import.meta.dirname, [
  { asked: 'openai-embeddings', url: plainUrl, answer: 'whole.json', usage: { input: 5 }, shown: '0.125' },
]);

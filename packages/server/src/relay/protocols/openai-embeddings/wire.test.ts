import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('openai-embeddings'), import.meta.dirname, [
  { asked: 'openai-embeddings', url: plainUrl, answer: 'whole.json', usage: { input: 5 }, shown: '0.125' },
]);

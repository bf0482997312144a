import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('cohere-chat'), import.meta.dirname, [
  { asked: 'openai-chat', url: plainUrl, answer: 'stream.sse', usage: { input: 3, output: 4 }, shown: 'lo.' },
]);

import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('bedrock-converse'), import.meta.dirname, [
  {
    asked: 'openai-chat',
    url: plainUrl,
    answer: 'whole.json',
    usage: { input: 9, output: 4 },
    body: { stream: false },
    shown: 'Hello.',
  },
]);

import { plainProvider, plainUrl, describeAnswers } from '../../../testing/wire/wire-tests.ts';

describeAnswers(plainProvider('openai-moderations'), import.meta.dirname, [
  {
    asked: 'openai-moderations',
    url: plainUrl,
    answer: 'whole.json',
    usage: 'counted here',
    shown: '"flagged"',
  },
]);

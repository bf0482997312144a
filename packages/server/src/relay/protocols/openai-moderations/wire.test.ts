import { plainProvider, plainUrl, proveAnswers } from '../../../testing/wire/wire-proof.ts';

proveAnswers(plainProvider('openai-moderations'), import.meta.dirname, [
  {
    asked: 'openai-moderations',
    url: plainUrl,
    answer: 'whole.json',
    usage: 'counted here',
    shown: '"flagged"',
  },
]);

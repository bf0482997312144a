import { fastgpt } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(fastgpt, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      url: 'https://fastgpt.run/api/openapi/v1/chat/completions',
      answer: 'chat.json',
      shown: 'Hello.',
      usage: { input: 1, output: 1 },
    },
  ],
  refused: [
    'openai-completions',
    'openai-embeddings',
    'gemini-embeddings',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});

import { mokaAi } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(mokaAi, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-embeddings',
      model: 'm3e-base',
      url: 'https://api.moka.ai/embeddings',
      answer: 'embeddings.json',
      usage: { input: 3 },
    },
  ],
  refused: [
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'gemini',
    'openai-completions',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});

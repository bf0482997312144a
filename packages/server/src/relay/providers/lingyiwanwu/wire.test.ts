import { lingyiwanwu } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(lingyiwanwu, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'yi-large',
      url: 'https://api.lingyiwanwu.com/v1/chat/completions',
      answer: 'chat.sse',
      shown: '"lastOne":true',
      usage: { input: 7, output: 9 },
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

import { zhipuV4 } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(zhipuV4, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'glm-4-plus',
      body: { top_p: 1 },
      url: 'https://open.bigmodel.cn/api/paas/v4/chat/completions',
      answer: 'chat.sse',
      shown: 'Hello.',
      usage: { input: 5, cacheRead: 1, output: 4 },
    },
    {
      asked: 'openai-embeddings',
      model: 'embedding-3',
      url: 'https://open.bigmodel.cn/api/paas/v4/embeddings',
      answer: 'embeddings.json',
      usage: { input: 2 },
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-completions',
    'openai-moderations',
    'openai-audio',
    'cohere-rerank',
  ],
});

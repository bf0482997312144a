import { siliconflow } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(siliconflow, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'Qwen/Qwen2.5-7B-Instruct',
      url: 'https://api.siliconflow.cn/v1/chat/completions',
      answer: 'chat.sse',
      shown: 'Hello.',
      usage: { input: 20, output: 4 },
    },
    {
      asked: 'cohere-rerank',
      model: 'BAAI/bge-reranker-v2-m3',
      url: 'https://api.siliconflow.cn/v1/rerank',
      answer: 'rerank.json',
      usage: { input: 8 },
    },
    {
      asked: 'openai-images',
      path: '/v1/images/generations',
      model: 'Kwai-Kolors/Kolors',
      body: { size: '1024x1024' },
      url: 'https://api.siliconflow.cn/v1/images/generations',
      sent: { image_size: '1024x1024' },
      answer: 'images.json',
      shown: 'https://images.test/1.png',
      usage: 'counted here',
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'openai-moderations'],
});

import { ali } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(ali, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'qwen-plus',
      channel: { other: 'plugin-1' },
      url: 'https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions',
      headers: {
        authorization: 'Bearer test-channel-key',
        'x-dashscope-sse': 'enable',
        'x-dashscope-plugin': 'plugin-1',
      },
      sent: { stream_options: { include_usage: true } },
      answer: 'chat.sse',
      shown: 'Hello.',
      usage: { input: 6, cacheRead: 4, output: 3 },
    },
    {
      asked: 'openai-embeddings',
      model: 'text-embedding-v3',
      url: 'https://dashscope.aliyuncs.com/compatible-mode/v1/embeddings',
      answer: 'embeddings.json',
      usage: { input: 2 },
    },
    {
      asked: 'cohere-rerank',
      model: 'gte-rerank-v2',
      url: 'https://dashscope.aliyuncs.com/api/v1/services/rerank/text-rerank/text-rerank',
      sent: { model: 'gte-rerank-v2', input: { query: 'hi', documents: ['hi'] } },
      answer: 'rerank.json',
      shown: 'relevance_score',
      usage: { input: 79 },
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'openai-moderations', 'openai-audio'],
});

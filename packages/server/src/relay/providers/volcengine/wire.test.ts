import { volcengine } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(volcengine, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'doubao-seed-1-6',
      url: 'https://ark.cn-beijing.volces.com/api/v3/chat/completions',
      sent: { stream_options: { include_usage: true } },
      answer: 'chat.sse',
      shown: 'Hello.',
      usage: { input: 80, output: 3, reasoning: 20 },
    },
    {
      asked: 'openai-chat',
      model: 'bot-2024',
      url: 'https://ark.cn-beijing.volces.com/api/v3/bots/chat/completions',
      answer: 'chat.sse',
      usage: { input: 80, output: 3, reasoning: 20 },
    },
    {
      asked: 'openai-embeddings',
      model: 'Doubao-embedding',
      url: 'https://ark.cn-beijing.volces.com/api/v3/embeddings',
      answer: 'embeddings.json',
      usage: { input: 3 },
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-completions',
    'gemini-embeddings',
    'openai-moderations',
    'cohere-rerank',
  ],
});

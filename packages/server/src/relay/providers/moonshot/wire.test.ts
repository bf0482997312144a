import { moonshot } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(moonshot, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'moonshot-v1-8k',
      url: 'https://api.moonshot.cn/v1/chat/completions',
      answer: 'chat.sse',
      shown: 'Hello.',
      usage: { input: 19, output: 13 },
    },
    {
      asked: 'anthropic-messages',
      model: 'kimi-k2-turbo-preview',
      url: 'https://api.moonshot.cn/anthropic/v1/messages',
      headers: { authorization: 'Bearer test-channel-key', 'anthropic-version': '2023-06-01' },
      answer: 'messages.json',
      shown: 'Hello.',
      usage: { input: 8, cacheRead: 2, output: 3 },
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

import { anthropic } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(anthropic, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'anthropic-messages',
      model: 'claude-sonnet-4-5',
      url: 'https://api.anthropic.com/v1/messages',
      headers: { 'x-api-key': 'test-channel-key', 'anthropic-version': '2023-06-01' },
      answer: 'messages.sse',
      shown: 'Hello.',
      usage: { input: 10, cacheWrite5m: 3, cacheWrite1h: 2, cacheRead: 7, output: 6 },
    },
    {
      asked: 'openai-chat',
      model: 'claude-sonnet-4-5',
      url: 'https://api.anthropic.com/v1/messages',
      headers: { 'x-api-key': 'test-channel-key' },
      sent: { model: 'claude-sonnet-4-5' },
      answer: 'messages.sse',
      shown: 'chat.completion.chunk',
      usage: { input: 10, cacheWrite5m: 3, cacheWrite1h: 2, cacheRead: 7, output: 6 },
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-completions',
    'openai-embeddings',
    'gemini-embeddings',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});

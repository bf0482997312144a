import { xai } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(xai, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'grok-3-mini-beta-high',
      url: 'https://api.x.ai/v1/chat/completions',
      sent: { model: 'grok-3-mini-beta', reasoning_effort: 'high' },
      answer: 'chat.json',
      shown: 'Hello.',
      usage: { input: 4, cacheRead: 4, output: 2, reasoning: 230 },
    },
    {
      asked: 'openai-chat',
      model: 'grok-3-mini-beta-high-search',
      url: 'https://api.x.ai/v1/chat/completions',
      sent: { model: 'grok-3-mini-beta', reasoning_effort: 'high', search_parameters: { mode: 'on' } },
      answer: 'chat.json',
      usage: { input: 4, cacheRead: 4, output: 2, reasoning: 230 },
    },
    {
      asked: 'openai-images',
      path: '/v1/images/generations',
      model: 'grok-2-image',
      body: { size: '1024x1024', quality: 'hd' },
      url: 'https://api.x.ai/v1/images/generations',
      answer: 'images.json',
      shown: 'images.test',
      usage: 'counted here',
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'openai-moderations', 'openai-audio', 'cohere-rerank'],
});

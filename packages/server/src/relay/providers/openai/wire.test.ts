import { openai } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(openai, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'gpt-4o-mini',
      channel: { organization: 'org-1' },
      url: 'https://api.openai.com/v1/chat/completions',
      headers: { authorization: 'Bearer test-channel-key', 'openai-organization': 'org-1' },
      sent: { model: 'gpt-4o-mini', stream_options: { include_usage: true } },
      answer: 'chat.sse',
      shown: '"content":"Hel"',
      usage: { input: 11, cacheRead: 8, output: 3, reasoning: 4 },
    },
    {
      asked: 'openai-responses',
      model: 'gpt-5-mini',
      url: 'https://api.openai.com/v1/responses',
      answer: 'responses.json',
      shown: 'Hello.',
      usage: { input: 10, output: 2, reasoning: 5 },
    },
    {
      asked: 'openai-compact',
      model: 'gpt-5-mini',
      url: 'https://api.openai.com/v1/responses/compact',
      answer: 'compact.json',
      shown: 'gAAAAABpM0Yj-Made-Up==',
      usage: { input: 100, cacheRead: 39, output: 374, reasoning: 64 },
    },
    {
      asked: 'openai-embeddings',
      url: 'https://api.openai.com/v1/embeddings',
      answer: 'embeddings.json',
      usage: { input: 5 },
    },
    {
      asked: 'openai-moderations',
      url: 'https://api.openai.com/v1/moderations',
      answer: 'moderations.json',
      shown: '"flagged"',
      usage: 'counted here',
    },
    {
      asked: 'openai-images',
      path: '/v1/images/generations',
      url: 'https://api.openai.com/v1/images/generations',
      answer: 'images.json',
      usage: { input: 9, imageOutput: 272 },
    },
    {
      asked: 'openai-audio',
      path: '/v1/audio/transcriptions',
      url: 'https://api.openai.com/v1/audio/transcriptions',
      answer: 'transcription.json',
      shown: 'Hello.',
      usage: { input: 2, audioInput: 12, output: 3 },
    },
  ],
  refused: ['gemini-predict', 'cohere-rerank'],
});

import { gemini } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(gemini, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'gemini',
      model: 'gemini-2.5-flash',
      url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      headers: { 'x-goog-api-key': 'test-channel-key' },
      answer: 'generate.sse',
      shown: 'Hel',
      usage: { input: 9, output: 3, reasoning: 24 },
    },
    {
      asked: 'openai-embeddings',
      model: 'gemini-embedding-001',
      url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:batchEmbedContents',
      headers: { 'x-goog-api-key': 'test-channel-key' },
      answer: 'embeddings.json',
      shown: '"object":"list"',
      usage: 'counted here',
    },
  ],
  refused: ['openai-compact', 'openai-completions', 'openai-moderations', 'openai-audio', 'cohere-rerank'],
});

import { vertex } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(vertex, {
  folder: import.meta.dirname,
  channel: { other: 'global', baseUrl: '' },
  calls: [
    {
      asked: 'gemini',
      model: 'gemini-2.5-flash',
      url: 'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      headers: { 'x-goog-api-key': 'test-channel-key' },
      answer: 'generate.sse',
      shown: 'trafficType',
      usage: { input: 9, output: 3, reasoning: 24 },
    },
  ],
  refused: ['openai-compact', 'openai-completions', 'openai-moderations', 'openai-audio', 'cohere-rerank'],
});

import { azure } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(azure, {
  folder: import.meta.dirname,
  channel: { baseUrl: 'https://r.openai.azure.com' },
  calls: [
    {
      asked: 'openai-chat',
      model: 'gpt-4o',
      url: 'https://r.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2025-04-01-preview',
      headers: { 'api-key': 'test-channel-key' },
      sent: { stream_options: { include_usage: true } },
      answer: 'chat.sse',
      shown: 'prompt_filter_results',
      usage: { input: 9, output: 3 },
    },
    {
      asked: 'openai-responses',
      model: 'gpt-5-mini',
      url: 'https://r.openai.azure.com/openai/v1/responses?api-version=preview',
      headers: { 'api-key': 'test-channel-key' },
      sent: { model: 'gpt-5-mini' },
      answer: 'responses.json',
      usage: { input: 8, output: 3 },
    },
    {
      asked: 'openai-compact',
      model: 'gpt-5-mini',
      url: 'https://r.openai.azure.com/openai/v1/responses/compact?api-version=preview',
      headers: { 'api-key': 'test-channel-key' },
      sent: { model: 'gpt-5-mini' },
      answer: 'compact.json',
      usage: { input: 100, cacheRead: 39, output: 374, reasoning: 64 },
    },
    {
      asked: 'openai-embeddings',
      model: 'ada',
      url: 'https://r.openai.azure.com/openai/deployments/ada/embeddings?api-version=2025-04-01-preview',
      headers: { 'api-key': 'test-channel-key' },
      answer: 'embeddings.json',
      usage: { input: 4 },
    },
  ],
  refused: ['gemini-predict', 'gemini-embeddings', 'openai-moderations', 'cohere-rerank'],
});

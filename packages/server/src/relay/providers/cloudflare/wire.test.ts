import { cloudflare } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(cloudflare, {
  folder: import.meta.dirname,
  channel: { other: 'acc-1' },
  calls: [
    {
      asked: 'openai-chat',
      model: '@cf/meta/llama-3.1-8b-instruct',
      url: 'https://api.cloudflare.com/client/v4/accounts/acc-1/ai/v1/chat/completions',
      answer: 'chat.sse',
      shown: 'Hello.',
      usage: { input: 11, output: 3 },
    },
    {
      asked: 'openai-completions',
      model: '@cf/meta/llama-3.1-8b-instruct',
      url: 'https://api.cloudflare.com/client/v4/accounts/acc-1/ai/run/@cf/meta/llama-3.1-8b-instruct',
      sent: { prompt: 'hi' },
      answer: 'run.json',
      shown: 'Hello.',
      usage: { input: 2, output: 3 },
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'openai-moderations', 'openai-images', 'cohere-rerank'],
});

import { openaiMax, ohmygpt, ails, aiproxy, api2gpt, aigc2d } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

const all = [openaiMax, ohmygpt, ails, aiproxy, api2gpt, aigc2d];

for (const provider of all)
  describeWire(provider, {
    folder: import.meta.dirname,
    calls: [
      {
        asked: 'openai-chat',
        model: 'o3-mini-high',
        url: `${provider.baseUrl}/v1/chat/completions`,
        sent: { model: 'o3-mini', reasoning_effort: 'high' },
        answer: 'chat.json',
        shown: 'Hello.',
        usage: { input: 9, output: 2, reasoning: 64 },
      },
      {
        asked: 'openai-embeddings',
        url: `${provider.baseUrl}/v1/embeddings`,
        answer: 'embeddings.json',
        usage: { input: 5 },
      },
    ],
    refused: ['gemini-predict', 'openai-compact', 'cohere-rerank'],
  });

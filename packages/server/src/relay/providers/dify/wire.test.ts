import { dify } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(dify, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      url: 'https://api.dify.ai/v1/chat-messages',
      sent: { query: 'USER: \nhi\n', response_mode: 'streaming' },
      answer: 'chat.sse',
      shown: 'lo.',
      usage: { input: 33, output: 4 },
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

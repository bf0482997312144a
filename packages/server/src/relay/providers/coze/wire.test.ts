import { coze } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(coze, {
  folder: import.meta.dirname,
  channel: { other: 'bot-1' },
  calls: [
    {
      asked: 'openai-chat',
      url: 'https://api.coze.cn/v3/chat',
      sent: { bot_id: 'bot-1', stream: true },
      answer: 'chat.sse',
      shown: 'Hel',
      usage: { input: 16, output: 4 },
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

import { zhipu } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(zhipu, {
  folder: import.meta.dirname,
  channel: { key: 'key-id.secret' },
  calls: [
    {
      asked: 'openai-chat',
      model: 'chatglm_turbo',
      body: { top_p: 1, seed: 3 },
      url: 'https://open.bigmodel.cn/api/paas/v3/model-api/chatglm_turbo/sse-invoke',
      headers: {},
      sent: { prompt: [{ role: 'user', content: 'hi' }], top_p: 0.99, incremental: true },
      answer: 'chat.sse',
      shown: '语言模型，\\n你好。',
      usage: { input: 9, output: 27 },
    },
    {
      asked: 'openai-chat',
      model: 'chatglm_turbo',
      body: { stream: false },
      url: 'https://open.bigmodel.cn/api/paas/v3/model-api/chatglm_turbo/invoke',
      headers: {},
      answer: 'chat.json',
      shown: '" Hello.\\nHow are you?"',
      usage: { input: 12, output: 8 },
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

import { xunfei } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(xunfei, {
  folder: import.meta.dirname,
  channel: { key: 'app-id|api-secret|api-key' },
  calls: [
    {
      asked: 'openai-chat',
      model: 'SparkDesk-v3.5',
      body: { max_tokens: 100 },
      url: 'https://spark-api.xf-yun.com/v3.5/chat',
      headers: {},
      sent: {
        header: { app_id: 'app-id' },
        parameter: { chat: { domain: 'generalv3.5', max_tokens: 100 } },
        payload: { message: { text: [{ role: 'user', content: 'hi' }] } },
      },
      answer: 'chat.ndjson',
      shown: '的吗？',
      usage: { input: 5, output: 9 },
    },
    {
      asked: 'anthropic-messages',
      model: 'SparkDesk',
      channel: { other: 'v4.0' },
      body: { stream: false },
      url: 'https://spark-api.xf-yun.com/v4.0/chat',
      headers: {},
      sent: { parameter: { chat: { domain: '4.0Ultra', max_tokens: 9 } } },
      answer: 'chat.ndjson',
      shown: '我可以帮助你的吗？',
      usage: { input: 5, output: 9 },
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

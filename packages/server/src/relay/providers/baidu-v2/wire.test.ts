import { baiduV2 } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(baiduV2, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'ernie-4.0-8k',
      channel: { key: 'test-channel-key|app-1' },
      url: 'https://qianfan.baidubce.com/v2/chat/completions',
      headers: { authorization: 'Bearer test-channel-key', appid: 'app-1' },
      sent: { stream_options: { include_usage: true } },
      answer: 'chat.sse',
      shown: 'Hello.',
      usage: { input: 2, output: 3 },
    },
    {
      asked: 'openai-chat',
      model: 'ernie-4.0-8k-search',
      url: 'https://qianfan.baidubce.com/v2/chat/completions',
      sent: { model: 'ernie-4.0-8k', web_search: { enable: true } },
      answer: 'chat.sse',
      usage: { input: 2, output: 3 },
    },
    {
      asked: 'cohere-rerank',
      model: 'bce-reranker-base',
      url: 'https://qianfan.baidubce.com/v2/rerank',
      answer: 'rerank.json',
      usage: { input: 9 },
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'openai-completions', 'openai-moderations', 'openai-audio'],
});

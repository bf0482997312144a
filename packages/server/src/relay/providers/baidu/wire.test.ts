import { baidu } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(baidu, {
  folder: import.meta.dirname,
  channel: { key: 'api-key|secret-key' },
  calls: [
    {
      asked: 'openai-chat',
      model: 'ERNIE-4.0-8K',
      body: { temperature: 2, max_tokens: 1, frequency_penalty: 1 },
      url: 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions_pro',
      headers: {},
      sent: {
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
        temperature: 1,
        max_output_tokens: 2,
        penalty_score: 1.5,
      },
      answer: 'chat.sse',
      shown: '很高兴与您交流。',
      usage: { input: 7, output: 15 },
    },
    {
      asked: 'openai-chat',
      model: 'ERNIE-Speed-128K',
      body: {
        stream: false,
        tools: [
          {
            type: 'function',
            function: { name: 'get_weather', parameters: { type: 'object', properties: {} } },
          },
        ],
      },
      url: 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/ernie-speed-128k',
      headers: {},
      sent: {
        functions: [
          { name: 'get_weather', description: 'get_weather', parameters: { type: 'object', properties: {} } },
        ],
      },
      answer: 'chat.json',
      shown: '"finish_reason":"tool_calls"',
      usage: { input: 88, output: 52 },
    },
    {
      asked: 'openai-embeddings',
      model: 'bge-large-zh',
      url: 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/bge_large_zh',
      headers: {},
      sent: { input: ['hi'] },
      answer: 'embeddings.json',
      usage: { input: 4 },
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-completions',
    'gemini-embeddings',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});

import { tencent } from './index.ts';
import { proveWire } from '../../../testing/wire/wire-proof.ts';

proveWire(tencent, {
  folder: import.meta.dirname,
  channel: { key: 'app-id|secret-id|secret-key' },
  calls: [
    {
      asked: 'openai-chat',
      model: 'hunyuan-lite',
      body: { temperature: 0.5, stop: 'x' },
      url: 'https://hunyuan.tencentcloudapi.com/',
      headers: { 'x-tc-action': 'ChatCompletions', 'x-tc-version': '2023-09-01' },
      sent: {
        Model: 'hunyuan-lite',
        Messages: [{ Role: 'user', Content: 'hi' }],
        Stream: true,
        Temperature: 0.5,
        Stop: ['x'],
      },
      answer: 'chat.sse',
      shown: '好。',
      usage: { input: 3, output: 5 },
    },
    {
      asked: 'openai-chat',
      model: 'hunyuan-pro',
      body: {
        stream: false,
        tools: [
          {
            type: 'function',
            function: { name: 'get_weather', parameters: { type: 'object', properties: {} } },
          },
        ],
      },
      url: 'https://hunyuan.tencentcloudapi.com/',
      headers: {},
      sent: {
        Tools: [
          {
            Type: 'function',
            Function: { Name: 'get_weather', Parameters: '{"type":"object","properties":{}}' },
          },
        ],
      },
      answer: 'chat.json',
      shown: '"name":"get_weather"',
      usage: { input: 40, output: 21 },
    },
  ],
  refused: [
    'openai-completions',
    'openai-embeddings',
    'gemini-embeddings',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});

import { expect, test } from 'vitest';
import { callOn, describeWire, sentBy } from '../../../testing/wire/wire-tests.ts';
import { tencent } from './index.ts';

describeWire(tencent, {
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

test('thoughts of earlier turns are not sent back, for which Tencent refuses a request', () => {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'Hello.', reasoning_content: 'They greet.' },
    { role: 'assistant', content: 'Well?', reasoning_content: 'They wait.' },
    { role: 'user', content: 'bye' },
  ];
  const call = callOn(tencent, 'openai-chat', { channel: { key: 'a|b|c' }, body: { messages } });
  expect(sentBy(call).Messages).toEqual([
    { Role: 'user', Content: 'hi' },
    { Role: 'assistant', Content: 'Hello.\n\nWell?' },
    { Role: 'user', Content: 'bye' },
  ]);
});

test("an effort is reported as left out; thinking is requested in the vendor's own field", () => {
  const body = { reasoning_effort: 'high', EnableThinking: true };
  const call = callOn(tencent, 'openai-chat', { channel: { key: 'a|b|c' }, body });
  expect(sentBy(call)).toMatchObject({ EnableThinking: true });
  expect(sentBy(call)).not.toHaveProperty('reasoning_effort');
  expect(call.dropped).toEqual(['reasoning_effort']);
});

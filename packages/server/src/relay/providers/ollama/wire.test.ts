import { ollama } from './index.ts';
import { buildChannel } from '../../../testing/protocols/build-relay.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(ollama, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'gpt-oss:20b',
      url: 'http://localhost:11434/v1/chat/completions',
      sent: { stream_options: { include_usage: true } },
      answer: 'chat.sse',
      shown: '"reasoning":"Greet."',
      usage: { input: 72, output: 9 },
    },
    {
      asked: 'openai-chat',
      model: 'qwen3',
      channel: { other: 'native' },
      body: {
        max_tokens: 5,
        temperature: 0,
        reasoning_effort: 'none',
        response_format: { type: 'json_object' },
        options: { num_ctx: 8_192 },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'hi' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AQL/' } },
            ],
          },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: 'c1',
                type: 'function',
                function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
              },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'mild' },
        ],
      },
      url: 'http://localhost:11434/api/chat',
      sent: {
        model: 'qwen3',
        stream: true,
        think: false,
        format: 'json',
        options: { num_predict: 5, temperature: 0, num_ctx: 8_192 },
        messages: [
          { role: 'user', content: 'hi', images: ['AQL/'] },
          {
            role: 'assistant',
            content: '',
            tool_calls: [{ function: { name: 'get_weather', arguments: { city: 'Paris' } } }],
          },
          { role: 'tool', content: 'mild', tool_name: 'get_weather' },
        ],
      },
      answer: 'native.ndjson',
      shown: '"reasoning_content":"Greet."',
      usage: { input: 26, output: 28 },
    },
    {
      asked: 'anthropic-messages',
      model: 'qwen3',
      channel: { other: 'native' },
      body: { stream: false },
      url: 'http://localhost:11434/api/chat',
      answer: 'native.ndjson',
      shown: '"name":"get_weather"',
      usage: { input: 26, output: 28 },
    },
    {
      asked: 'openai-chat',
      model: 'qwen3',
      channel: { other: 'native', setting: { ...buildChannel().setting, passThroughBody: true } },
      url: 'http://localhost:11434/v1/chat/completions',
      answer: 'chat.sse',
      usage: { input: 72, output: 9 },
    },
    {
      asked: 'openai-embeddings',
      model: 'nomic-embed-text',
      url: 'http://localhost:11434/api/embed',
      sent: { model: 'nomic-embed-text', input: 'hi' },
      answer: 'embed.json',
      shown: '"object":"list"',
      usage: { input: 2 },
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'gemini-embeddings',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});

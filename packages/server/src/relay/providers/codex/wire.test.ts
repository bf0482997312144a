import { codex } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

const url = 'https://chatgpt.com/backend-api/codex/responses';
const headers = {
  accept: 'text/event-stream',
  'openai-beta': 'responses=experimental',
  originator: 'codex_cli_rs',
};
const always = { store: false, stream: true, include: ['reasoning.encrypted_content'] };

describeWire(codex, {
  folder: import.meta.dirname,
  channel: { key: '{"access_token": "a", "refresh_token": "r", "account_id": "id"}' },
  calls: [
    {
      asked: 'openai-responses',
      model: 'gpt-5.6-sol-high',
      body: { input: 'hi', stream: false, max_output_tokens: 10, temperature: 1, user: 'u' },
      url,
      headers,
      sent: {
        ...always,
        model: 'gpt-5.6-sol',
        reasoning: { effort: 'high' },
        instructions: 'You are a helpful assistant.',
        input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      },
      answer: 'responses.sse',
      shown: '"text":"Hello."',
      usage: { input: 5, cacheRead: 4, output: 3 },
    },
    {
      asked: 'openai-chat',
      model: 'gpt-5.6-sol',
      body: {
        stream: true,
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'hi' },
          { role: 'system', content: 'Be kind.' },
        ],
      },
      url,
      headers,
      sent: { ...always, instructions: 'Be short.' },
      answer: 'responses.sse',
      shown: '"content":"Hello."',
      usage: { input: 5, cacheRead: 4, output: 3 },
    },
    {
      asked: 'anthropic-messages',
      model: 'gpt-5.6-sol',
      url,
      headers,
      sent: always,
      answer: 'responses.sse',
      shown: 'Hello.',
      usage: { input: 5, cacheRead: 4, output: 3 },
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

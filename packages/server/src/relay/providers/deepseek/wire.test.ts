import { deepseek } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(deepseek, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'deepseek-reasoner',
      url: 'https://api.deepseek.com/v1/chat/completions',
      sent: { stream_options: { include_usage: true } },
      answer: 'chat.sse',
      shown: '"reasoning_content":"Greet."',
      usage: { input: 8, cacheRead: 64, output: 4, reasoning: 12 },
    },
    {
      asked: 'openai-completions',
      model: 'deepseek-chat',
      url: 'https://api.deepseek.com/beta/completions',
      answer: 'completion.json',
      shown: 'lo.',
      usage: { input: 2, output: 3 },
    },
    {
      asked: 'anthropic-messages',
      model: 'deepseek-chat',
      url: 'https://api.deepseek.com/anthropic/v1/messages',
      answer: 'messages.json',
      shown: 'Hello.',
      usage: { input: 5, output: 3 },
    },
    {
      asked: 'openai-responses',
      model: 'deepseek-chat',
      url: 'https://api.deepseek.com/responses',
      answer: 'responses.json',
      shown: 'Hello.',
      usage: { input: 7, output: 3 },
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-embeddings',
    'gemini-embeddings',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});

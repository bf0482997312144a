import { ollama } from './index.ts';
import { proveWire } from '../../../testing/wire/wire-proof.ts';

proveWire(ollama, {
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
      asked: 'openai-embeddings',
      model: 'nomic-embed-text',
      url: 'http://localhost:11434/api/embed',
      sent: { model: 'nomic-embed-text', input: 'hi' },
      answer: 'embed.json',
      shown: '"object":"list"',
      usage: { input: 2 },
    },
  ],
  refused: ['gemini-embeddings', 'openai-moderations', 'openai-images', 'openai-audio', 'cohere-rerank'],
});

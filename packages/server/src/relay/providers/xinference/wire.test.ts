import { xinference } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(xinference, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'qwen2.5-instruct',
      url: 'https://own.test/v1/chat/completions',
      answer: 'chat.json',
      shown: 'Hello.',
      usage: { input: 20, output: 3 },
    },
    {
      asked: 'cohere-rerank',
      model: 'bge-reranker-v2-m3',
      body: { return_documents: true },
      url: 'https://own.test/v1/rerank',
      answer: 'rerank.json',
      shown: '"document":{"text":"hi"}',
      usage: { input: 6 },
    },
  ],
  refused: ['openai-moderations'],
});

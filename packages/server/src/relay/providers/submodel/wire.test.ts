import { submodel } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(submodel, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'Qwen/Qwen3-235B-A22B-Instruct-2507',
      url: 'https://llm.submodel.ai/v1/chat/completions',
      answer: 'chat.json',
      shown: 'Hello.',
      usage: { input: 11, output: 3 },
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

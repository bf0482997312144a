import { moonshot, ai360, lingyiwanwu, jina, fastgpt, mokaAi, xinference, submodel } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

const folder = import.meta.dirname;

describeWire(moonshot, {
  folder,
  calls: [
    {
      asked: 'openai-chat',
      model: 'moonshot-v1-8k',
      url: 'https://api.moonshot.cn/v1/chat/completions',
      answer: 'moonshot-chat.sse',
      shown: 'Hello.',
      usage: { input: 19, output: 13 },
    },
    {
      asked: 'anthropic-messages',
      model: 'kimi-k2-turbo-preview',
      url: 'https://api.moonshot.cn/anthropic/v1/messages',
      headers: { authorization: 'Bearer test-channel-key', 'anthropic-version': '2023-06-01' },
      answer: 'moonshot-messages.json',
      shown: 'Hello.',
      usage: { input: 8, cacheRead: 2, output: 3 },
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

describeWire(ai360, {
  folder,
  calls: [
    {
      asked: 'openai-chat',
      model: '360gpt-turbo',
      url: 'https://api.360.cn/v1/chat/completions',
      answer: 'ai360-chat.json',
      shown: 'Hello.',
      usage: { input: 6, output: 3 },
    },
    {
      asked: 'openai-embeddings',
      model: 'embedding_s1_v1',
      url: 'https://api.360.cn/v1/embeddings',
      answer: 'ai360-embeddings.json',
      usage: { input: 3 },
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-completions',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});

describeWire(lingyiwanwu, {
  folder,
  calls: [
    {
      asked: 'openai-chat',
      model: 'yi-large',
      url: 'https://api.lingyiwanwu.com/v1/chat/completions',
      answer: 'lingyiwanwu-chat.sse',
      shown: '"lastOne":true',
      usage: { input: 7, output: 9 },
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

describeWire(jina, {
  folder,
  calls: [
    {
      asked: 'openai-embeddings',
      model: 'jina-clip-v1',
      url: 'https://api.jina.ai/v1/embeddings',
      answer: 'jina-embeddings.json',
      usage: { input: 6 },
    },
    {
      asked: 'cohere-rerank',
      model: 'jina-reranker-v2-base-multilingual',
      url: 'https://api.jina.ai/v1/rerank',
      answer: 'jina-rerank.json',
      shown: '"relevance_score":0.5',
      usage: { input: 15 },
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'gemini',
    'openai-completions',
    'openai-moderations',
    'openai-images',
    'openai-audio',
  ],
});

describeWire(fastgpt, {
  folder,
  calls: [
    {
      asked: 'openai-chat',
      url: 'https://fastgpt.run/api/openapi/v1/chat/completions',
      answer: 'fastgpt-chat.json',
      shown: 'Hello.',
      usage: { input: 1, output: 1 },
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

describeWire(mokaAi, {
  folder,
  calls: [
    {
      asked: 'openai-embeddings',
      model: 'm3e-base',
      url: 'https://api.moka.ai/embeddings',
      answer: 'moka-ai-embeddings.json',
      usage: { input: 3 },
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'gemini',
    'openai-completions',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});

describeWire(xinference, {
  folder,
  calls: [
    {
      asked: 'openai-chat',
      model: 'qwen2.5-instruct',
      url: 'https://own.test/v1/chat/completions',
      answer: 'xinference-chat.json',
      shown: 'Hello.',
      usage: { input: 20, output: 3 },
    },
    {
      asked: 'cohere-rerank',
      model: 'bge-reranker-v2-m3',
      body: { return_documents: true },
      url: 'https://own.test/v1/rerank',
      answer: 'xinference-rerank.json',
      shown: '"document":{"text":"hi"}',
      usage: { input: 6 },
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'openai-moderations'],
});

describeWire(submodel, {
  folder,
  calls: [
    {
      asked: 'openai-chat',
      model: 'Qwen/Qwen3-235B-A22B-Instruct-2507',
      url: 'https://llm.submodel.ai/v1/chat/completions',
      answer: 'submodel-chat.json',
      shown: 'Hello.',
      usage: { input: 11, output: 3 },
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

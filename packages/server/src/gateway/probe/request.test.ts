import { expect, test } from 'vitest';
import { providerOf } from '../../relay/registry.ts';
import { buildTestRequest } from './request.ts';

test.each([
  [1, 'gpt-4o-mini', 'openai-chat'],
  [1, 'text-embedding-3-small', 'openai-embeddings'],
  // These have no chat protocol, but a chat can be translated for them.
  [14, 'claude-sonnet-4', 'openai-chat'],
  [24, 'gemini-2.5-flash', 'openai-chat'],
  [24, 'text-embedding-004', 'openai-embeddings'],
  [44, 'm3e-base', 'openai-embeddings'],
  [34, 'command-a-03-2025', 'openai-chat'],
  [34, 'rerank-english-v3.0', 'cohere-rerank'],
  [38, 'jina-reranker-v2-base-multilingual', 'cohere-rerank'],
  [40, 'BAAI/bge-reranker-v2-m3', 'cohere-rerank'],
  [40, 'BAAI/bge-m3', 'openai-embeddings'],
  [1, 'minilm', 'openai-embeddings'],
  [47, 'intfloat/e5-small', 'openai-embeddings'],
  [1, 'tts-1', 'openai-audio'],
  // An image costs money, so only a person requests one.
  [1, 'dall-e-3', 'openai-chat'],
])('a channel of type %i is tested with %s in %s', (type, model, protocol) => {
  expect(buildTestRequest(providerOf(type)!, model)).toMatchObject({ protocol, facts: { model } });
});

test.each([
  ['chat', '/v1/chat/completions'],
  ['embeddings', '/v1/embeddings'],
  ['rerank', '/v1/rerank'],
  ['image', '/v1/images/generations'],
  ['speech', '/v1/audio/speech'],
] as const)('a chosen %s test goes to %s, whatever the model is called', (kind, path) => {
  for (const model of ['bge-m3', 'gpt-4o', 'dall-e-3'])
    expect(buildTestRequest(providerOf(58)!, model, kind)).toMatchObject({ path, json: { model } });
});

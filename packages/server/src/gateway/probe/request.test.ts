import { expect, test } from 'vitest';
import { providerOf } from '../../relay/registry.ts';
import { buildTestRequest } from './request.ts';

test.each([
  [1, 'gpt-4o-mini', 'openai-chat'],
  [1, 'text-embedding-3-small', 'openai-embeddings'],
  // They speak no chat, but a chat can be told to them.
  [14, 'claude-sonnet-4', 'openai-chat'],
  [24, 'gemini-2.5-flash', 'openai-chat'],
  [24, 'text-embedding-004', 'openai-embeddings'],
  [44, 'm3e-base', 'openai-embeddings'],
  [34, 'command-a-03-2025', 'openai-chat'],
  [34, 'rerank-english-v3.0', 'cohere-rerank'],
  [38, 'jina-reranker-v2-base-multilingual', 'cohere-rerank'],
  [40, 'BAAI/bge-reranker-v2-m3', 'cohere-rerank'],
])('a channel of type %i is tested with %s in %s', (type, model, protocol) => {
  expect(buildTestRequest(providerOf(type)!, model)).toMatchObject({ protocol, facts: { model } });
});

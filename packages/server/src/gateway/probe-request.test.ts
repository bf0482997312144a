import { expect, test } from 'vitest';
import { providerOf } from '../relay/registry.ts';
import { buildTestRequest } from './probe-request.ts';

test.each([
  [1, 'gpt-4o-mini', 'openai-chat'],
  [1, 'text-embedding-3-small', 'openai-embeddings'],
  // They speak no chat, but a chat can be told to them.
  [14, 'claude-sonnet-4', 'openai-chat'],
  [24, 'gemini-2.5-flash', 'openai-chat'],
  [24, 'text-embedding-004', 'openai-embeddings'],
  [44, 'm3e-base', 'openai-embeddings'],
])('a channel of type %i is tested with %s in %s', (type, model, protocol) => {
  expect(buildTestRequest(providerOf(type)!, model)).toMatchObject({ protocol, facts: { model } });
});

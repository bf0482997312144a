import { expect, test } from 'vitest';
import { buildChannel } from '../../../testing/protocols/build-relay.ts';
import { callOn, describeWire } from '../../../testing/wire/wire-tests.ts';
import { customTemplate } from './index.ts';

const other = JSON.stringify({
  paths: { 'openai-chat': '/api/{model}/chat', 'cohere-rerank': '/rank' },
  headers: { 'X-Api-Key': '{key}', 'x-model': 'of {model}' },
});

describeWire(customTemplate, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'a/b',
      channel: { other },
      body: { stream: false },
      url: 'https://own.test/api/a%2Fb/chat',
      headers: { 'x-api-key': 'test-channel-key', 'x-model': 'of a%2Fb' },
      answer: 'chat.json',
      usage: { input: 12, output: 4 },
    },
    {
      asked: 'cohere-rerank',
      url: 'https://own.test/v1/rerank',
      answer: 'rerank.json',
      usage: { input: 21 },
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'gemini-embeddings'],
});

test('a channel with paths of its own offers these alone', () => {
  expect(() => callOn(customTemplate, 'openai-embeddings', { channel: { other } })).toThrow(
    expect.objectContaining({ code: 'invalid_api_type' }),
  );
});

test.each(['anthropic-messages', 'openai-responses', 'gemini'] as const)(
  'callers of %s are translated to the chat protocol that a channel has a path for',
  (protocol) => {
    expect(callOn(customTemplate, protocol, { channel: { other } }).url).toBe('https://own.test/api/m/chat');
  },
);

test.each(['anthropic-messages', 'openai-chat', 'gemini'] as const)(
  'callers of %s are translated to Responses, where a channel has a path for it alone',
  (protocol) => {
    const other = JSON.stringify({ paths: { 'openai-responses': '/answers' } });
    expect(callOn(customTemplate, protocol, { channel: { other } }).url).toBe('https://own.test/answers');
  },
);

test('a template with headers replaces the default one', () => {
  expect(callOn(customTemplate, 'openai-chat', { channel: { other } }).headers).not.toHaveProperty(
    'authorization',
  );
});

test.each([
  ['{', 'JSON'],
  ['{"paths": {"openai-chat": "//evil.test/x"}}', 'paths'],
  ['{"paths": {"openai-chat": "@evil.test"}}', 'paths'],
  ['{"paths": {"openai-chat": "/\\\\evil.test"}}', 'paths'],
  ['{"headers": {"host": "evil.test"}}', 'headers'],
  ['{"headers": {"x": "a\\r\\nb"}}', 'headers'],
  ['{"headers": {"x y": "a"}}', 'headers'],
  ['{"headers": {"x": 1}}', 'headers'],
])('%s cannot be used, and the channel is to blame', (template, detail) => {
  expect(buildChannel({ other: template }).other).toBe(template);
  expect(() => callOn(customTemplate, 'openai-chat', { channel: { other: template } })).toThrow(
    expect.objectContaining({ blame: 'channel', message: expect.stringContaining(detail) as string }),
  );
});

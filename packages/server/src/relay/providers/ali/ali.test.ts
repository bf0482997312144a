import { expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { ali } from './index.ts';

function made(body: JsonObject, model = 'qwen-plus', other = '') {
  const chat = { model, messages: [{ role: 'user', content: 'hi' }], ...body };
  const channel = buildChannel({ type: 17, baseUrl: ali.baseUrl, other });
  const call = bridge(ali, channel, buildRequest('openai-chat', chat), model, relayOptions);
  return { call, sent: JSON.parse(call.body.toString()) as JsonObject };
}

test('calls go below the compatible path', () => {
  const base = 'https://dashscope.aliyuncs.com/compatible-mode/v1';
  const channel = buildChannel({ type: 17, baseUrl: ali.baseUrl });
  const embedding = buildRequest('openai-embeddings', { model: 'm', input: 'hi' });
  const completion = buildRequest('openai-completions', { model: 'm', prompt: 'hi' });
  expect(made({}).call.url).toBe(`${base}/chat/completions`);
  expect(bridge(ali, channel, embedding, 'm', relayOptions).url).toBe(`${base}/embeddings`);
  expect(bridge(ali, channel, completion, 'm', relayOptions).url).toBe(`${base}/completions`);
});

test.each([
  [0, 0.001],
  [0.5, 0.5],
  [1, 0.999],
])('top_p %d is sent as %d', (asked, sent) => {
  expect(made({ top_p: asked }).sent.top_p).toBe(sent);
});

test.each([
  ['an answer that comes whole does not think', {}, 'qwen3-235b-a22b', false],
  ['unless the caller wants it to', { enable_thinking: true }, 'qwen3-235b-a22b', true],
  ['or the model always does', {}, 'qwq-32b', undefined],
  ['or is made for it', {}, 'qwen3-235b-a22b-thinking-2507', undefined],
  ['a stream may', { stream: true }, 'qwen3-235b-a22b', undefined],
])('%s', (_what, body, model, thinks) => {
  expect(made(body, model).sent.enable_thinking).toBe(thinks);
});

test('the usage of streams is requested', () => {
  expect(made({ stream: true }).sent.stream_options).toEqual({ include_usage: true });
});

test('a plugin of the channel has its header', () => {
  expect(made({}, 'qwen-plus', 'pdf_extracter').call.headers['x-dashscope-plugin']).toBe('pdf_extracter');
  expect(made({}).call.headers).not.toHaveProperty('x-dashscope-plugin');
});

test('streams are requested by a header as well', () => {
  expect(made({ stream: true }).call.headers['x-dashscope-sse']).toBe('enable');
  expect(made({}).call.headers).not.toHaveProperty('x-dashscope-sse');
});

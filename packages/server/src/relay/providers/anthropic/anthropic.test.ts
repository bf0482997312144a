import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { RelayOptions } from '../../types/index.ts';
import { providerOf } from '../../registry.ts';

const anthropic = providerOf(14)!;
const options = (settings: RelayOptions['settings']): RelayOptions => ({ ...relayOptions, settings });
const usual = options({
  'claude.default_max_tokens': { default: 4_000, 'claude-3-7-sonnet-20250219-thinking': 1_000 },
  'claude.thinking_adapter_enabled': true,
  'claude.thinking_adapter_budget_tokens_percentage': 0.8,
});

function call(model: string, fields: JsonObject = {}, headers: Record<string, string> = {}, at = usual) {
  const body = { model, messages: [{ role: 'user', content: 'hi' }], ...fields };
  const request = { ...buildRequest('anthropic-messages', body), headers };
  const channel = buildChannel({ type: 14, baseUrl: 'https://api.anthropic.test' });
  return bridge(anthropic, channel, request, model, at);
}
const sent = (...args: Parameters<typeof call>): JsonObject =>
  JSON.parse(call(...args).body.toString()) as JsonObject;

describe('a call to Anthropic', () => {
  test('is sent byte for byte where nothing must change', () => {
    const text =
      '{ "max_tokens":9,\n"model":"claude-x", "messages":[{"role":"user","content":"\\u0041"}], "new_field":1.0 }';
    const request = buildRequest('anthropic-messages', text);
    const made = bridge(anthropic, buildChannel({ type: 14 }), request, 'claude-x', usual);
    expect(made.body).toBe(request.raw);
    expect(made.url).toBe('https://upstream.test/v1/messages');
  });

  test('has the key, the version and the betas that the caller named', () => {
    expect(call('claude-x').headers).toMatchObject({
      'x-api-key': 'test-channel-key',
      'anthropic-version': '2023-06-01',
    });
    const headers = { 'anthropic-version': '2024-01-01', 'anthropic-beta': 'a,b' };
    expect(call('claude-x', {}, headers).headers).toMatchObject(headers);
    expect(call('claude-x').headers).not.toHaveProperty('authorization');
  });

  test('has the headers that the site adds for a model, betas beside those of the caller', () => {
    const table = { 'claude-x': { 'anthropic-beta': ['c', 'd'], 'X-Own': ['1'] } };
    const at = options({ 'claude.model_headers_settings': table });
    expect(call('claude-x', {}, { 'anthropic-beta': 'a' }, at).headers).toMatchObject({
      'anthropic-beta': 'a,c,d',
      'x-own': '1',
    });
    expect(call('claude-y', {}, {}, at).headers).not.toHaveProperty('x-own');
  });

  test('keeps the beta address that newer clients use, and no other query', () => {
    const request = buildRequest('anthropic-messages', {
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'x' }],
    });
    const at = (query: string) => bridge(anthropic, buildChannel(), { ...request, query }, 'm', usual).url;
    expect(at('?beta=true')).toBe('https://upstream.test/v1/messages?beta=true');
    expect(at('?key=1')).toBe('https://upstream.test/v1/messages');
  });

  test('gets a bound on its output where the caller set none', () => {
    expect(sent('claude-x').max_tokens).toBe(4_000);
    expect(sent('claude-x', { max_tokens: 5 }).max_tokens).toBe(5);
    expect(sent('claude-x', { thinking: { type: 'enabled', budget_tokens: 6_000 } }).max_tokens).toBe(10_000);
    expect(sent('claude-x', {}, {}, options({})).max_tokens).toBe(8_192);
  });

  test('thinks when the name ends in -thinking', () => {
    const made = sent('claude-3-7-sonnet-20250219-thinking', {
      max_tokens: 10_000,
      top_p: 0.5,
      temperature: 0,
    });
    expect(made).toMatchObject({
      model: 'claude-3-7-sonnet-20250219',
      max_tokens: 10_000,
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 8_000 },
    });
    expect(made).not.toHaveProperty('top_p');
    expect(sent('claude-3-7-sonnet-20250219-thinking')).toMatchObject({
      max_tokens: 1_280,
      thinking: { budget_tokens: 1_024 },
    });
    const own = { type: 'enabled', budget_tokens: 1_500 };
    expect(
      sent('claude-3-7-sonnet-20250219-thinking', { max_tokens: 2_000, thinking: own }).thinking,
    ).toEqual(own);
  });

  test('thinks by effort where the model supports efforts', () => {
    expect(sent('claude-opus-4-6-thinking')).toMatchObject({
      model: 'claude-opus-4-6',
      thinking: { type: 'adaptive' },
    });
    const made = call('claude-opus-4-6-high');
    expect(made).toMatchObject({ upstreamModel: 'claude-opus-4-6', reasoningEffort: 'high' });
    expect(JSON.parse(made.body.toString())).toMatchObject({ output_config: { effort: 'high' } });
    expect(call('claude-3-5-haiku-20241022-high').upstreamModel).toBe('claude-3-5-haiku-20241022-high');
  });

  test('leaves similar names alone, and all names when the site says so', () => {
    const off = options({ 'claude.thinking_adapter_enabled': false });
    expect(sent('claude-x-thinking', {}, {}, off)).toMatchObject({ model: 'claude-x-thinking' });
    const moonshot = bridge(
      providerOf(25)!,
      buildChannel({ type: 25 }),
      buildRequest('anthropic-messages', {
        model: 'kimi-k2-thinking',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'x' }],
      }),
      'kimi-k2-thinking',
      usual,
    );
    expect(moonshot.upstreamModel).toBe('kimi-k2-thinking');
    expect(moonshot.url).toBe('https://upstream.test/anthropic/v1/messages');
  });

  test('leaves out what costs more without a price for it', () => {
    const made = sent('claude-x', { speed: 'fast', inference_geo: 'us', service_tier: 'auto' });
    expect(made).not.toHaveProperty('speed');
    expect(made).not.toHaveProperty('inference_geo');
    expect(made.service_tier).toBe('auto');
  });

  test('has its tokens counted by the vendor, without the parameters of the answer', () => {
    const count = call('claude-x', { temperature: 0.5, stream: true, tools: [] }).count!();
    expect(count.url).toBe('https://api.anthropic.test/v1/messages/count_tokens');
    expect(Object.keys(JSON.parse(count.body.toString()) as object)).toEqual(['model', 'messages', 'tools']);
    expect(count.read({ input_tokens: 7 })).toBe(7);
    expect(count.read({})).toBeUndefined();
  });
});

test('is translated for callers of other protocols, and for other vendors', () => {
  const chat = buildRequest('openai-chat', {
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    seed: 3,
  });
  const there = bridge(anthropic, buildChannel({ type: 14 }), chat, 'claude-x', usual);
  expect(there.url).toBe('https://upstream.test/v1/messages');
  expect(JSON.parse(there.body.toString())).toEqual({
    model: 'claude-x',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 4_000,
  });
  expect(there.dropped).toEqual(['seed']);
  expect(there.count).toBeUndefined();

  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], stream: true };
  const back = bridge(
    providerOf(1)!,
    buildChannel(),
    buildRequest('anthropic-messages', body),
    'gpt-4o',
    usual,
  );
  expect(back.url).toBe('https://upstream.test/v1/chat/completions');
  expect(JSON.parse(back.body.toString())).toEqual({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 9,
    stream: true,
    stream_options: { include_usage: true },
  });
});

test('has the models of the account listed', () => {
  const source = anthropic.fetchModels!;
  expect(source.request(buildChannel())).toEqual({
    url: 'https://upstream.test/v1/models?limit=1000',
    headers: { 'x-api-key': 'test-channel-key', 'anthropic-version': '2023-06-01' },
  });
  expect(source.read({ data: [{ id: 'claude-x' }, { id: '' }] })).toEqual(['claude-x']);
});

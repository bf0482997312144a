import { describe, expect, it, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import type { JsonObject } from '../lib/json.ts';
import { bridge } from './bridge.ts';
import { providerOf } from './registry.ts';
import type { Channel, ProtocolId } from './types/index.ts';

// OpenAI does not support functions of its newest models in chats: such calls use its Responses, for callers of every
// protocol.

const schema = { type: 'object', properties: {} };
const hi = [{ role: 'user', content: 'hi' }];
const offered = { messages: hi, tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] };

interface Asked {
  protocol?: ProtocolId;
  type?: number;
  channel?: Partial<Channel>;
  passes?: boolean;
}

/** Path and body of the request for a call. */
function sent(
  model: string,
  fields: JsonObject,
  { protocol = 'openai-chat', type = 1, ...more }: Asked = {},
) {
  const provider = providerOf(type)!;
  const channel = buildChannel({ type, baseUrl: provider.baseUrl, ...more.channel });
  const options = { ...relayOptions, passThroughBody: more.passes ?? false };
  const { url, body } = bridge(
    provider,
    channel,
    buildRequest(protocol, { model, ...fields }),
    model,
    options,
  );
  return { path: new URL(url).pathname, body: JSON.parse(body.toString()) as JsonObject };
}

const chats = '/v1/chat/completions';
const responses = '/v1/responses';

test.each<[string, JsonObject, string]>([
  ['gpt-6-sol', offered, responses],
  ['gpt-6.1-sol', { ...offered, reasoning_effort: 'high' }, responses],
  ['gpt-6-luna', { messages: hi, functions: [{ name: 'f', parameters: schema }] }, responses],
  ['gpt-6-sol', { ...offered, reasoning_effort: 'none' }, chats],
  ['gpt-6-sol-none', offered, chats],
  ['gpt-6-sol', { messages: hi }, chats],
  ['gpt-5.6-terra', { ...offered, reasoning_effort: 'low' }, responses],
  ['gpt-5.6-terra-high', offered, responses],
  ['gpt-5.6-terra', offered, responses],
  ['gpt-5.6-terra', { ...offered, reasoning_effort: 'none' }, chats],
  ['gpt-5.4', { ...offered, reasoning_effort: 'high' }, chats],
  ['gpt-4o', offered, chats],
])('%s is sent %j at %s', (model, fields, path) => {
  expect(sent(model, fields).path).toBe(path);
});

it('the functions and the effort are sent there', () => {
  const { body } = sent('gpt-6-sol-high', offered);
  expect(body).toMatchObject({
    model: 'gpt-6-sol',
    tools: [{ type: 'function', name: 'f' }],
    reasoning: { effort: 'high' },
    store: false,
  });
});

it('callers of Messages and Gemini are translated the same way', () => {
  const tool = { name: 'f', input_schema: schema };
  const ofMessages = { max_tokens: 9, messages: hi, tools: [tool] };
  expect(sent('gpt-6-sol', ofMessages, { protocol: 'anthropic-messages' }).path).toBe(responses);
  expect(sent('gpt-5.4', ofMessages, { protocol: 'anthropic-messages' }).path).toBe(chats);
  const ofGemini = {
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    tools: [{ functionDeclarations: [{ name: 'f' }] }],
  };
  expect(sent('gpt-6-sol', { ...ofGemini, stream: false }, { protocol: 'gemini' }).path).toBe(responses);
});

describe('a call stays in chats', () => {
  it('at other hosts, which may have no other endpoint', () => {
    const channel = { baseUrl: 'https://copy.test' };
    expect(sent('gpt-6-sol', offered, { channel }).path).toBe(chats);
  });

  it('where bodies are passed through', () => {
    expect(sent('gpt-6-sol', offered, { passes: true }).path).toBe(chats);
  });
});

it('Azure has the same endpoint', () => {
  const channel = { baseUrl: 'https://name.openai.azure.com' };
  expect(sent('gpt-6-sol', offered, { type: 3, channel }).path).toBe('/openai/v1/responses');
  expect(sent('gpt-4o', offered, { type: 3, channel }).path).toContain('/chat/completions');
});

test.each([
  ['gpt-6-sol', 'none'],
  ['gpt-6-astra', 'low'],
  ['gpt-6.1-sol', 'low'],
  ['gpt-6.1-terra', 'none'],
  ['gpt-6.2-astra', 'low'],
])('%s has thinking disabled by the effort %s', (model, effort) => {
  const tools = [{ name: 'f', input_schema: schema }];
  const asked = { max_tokens: 9, messages: hi, tools, thinking: { type: 'disabled' } };
  expect(sent(model, asked, { protocol: 'anthropic-messages' }).body.reasoning).toEqual({ effort });
});

describe('sampling of another protocol', () => {
  const ask = (model: string, fields: JsonObject) =>
    sent(model, { max_tokens: 9, messages: hi, ...fields }, { protocol: 'anthropic-messages' }).body;

  test.each([
    ['gpt-6-sol', {}, undefined],
    ['gpt-5.6-sol', {}, undefined],
    ['gpt-5-mini', {}, undefined],
    ['o3', {}, undefined],
    ['gpt-5.4', { output_config: { effort: 'high' } }, undefined],
    ['gpt-5.4', {}, 0.5],
    ['gpt-5-chat-latest', {}, 0.5],
    ['gpt-4o', {}, 0.5],
  ])('beside the thoughts of %s is left out where it is refused', (model, fields, temperature) => {
    expect(ask(model, { temperature: 0.5, ...fields }).temperature).toBe(temperature);
  });

  it('is treated the same in Responses', () => {
    const tools = [{ name: 'f', input_schema: schema }];
    const body = ask('gpt-6-sol', { temperature: 0.5, top_p: 0.5, tools });
    expect([body.temperature, body.top_p, body.input]).toEqual([undefined, undefined, expect.anything()]);
  });
});

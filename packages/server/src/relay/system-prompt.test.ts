import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../lib/json.ts';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import { bridge } from './bridge.ts';
import { providerOf } from './registry.ts';
import type { ProtocolId, SystemPrompt } from './types/index.ts';

// A channel's instructions reach the vendor in every protocol, from every caller.

const own = 'Be kind.';
const text = 'Be brief.';
const asked: Partial<Record<ProtocolId, (system: boolean) => JsonObject>> = {
  'openai-chat': (system) => ({
    messages: [...(system ? [{ role: 'system', content: own }] : []), { role: 'user', content: 'hi' }],
  }),
  'openai-responses': (system) => ({ input: 'hi', ...(system && { instructions: own }) }),
  'anthropic-messages': (system) => ({
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
    ...(system && { system: own }),
  }),
  gemini: (system) => ({
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    ...(system && { systemInstruction: { parts: [{ text: own }] } }),
  }),
};
const callers = Object.keys(asked) as ProtocolId[];
/** OpenAI, Anthropic, Gemini, Bedrock, Cohere. */
const types = [1, 14, 24, 33, 34];

const sent = (caller: ProtocolId, type: number, place: SystemPrompt['place'], hasOwn: boolean): string => {
  const key = type === 33 ? 'ak|sk|us-east-1' : 'test-channel-key';
  const channel = buildChannel({ type, key, setting: { systemPrompt: { text, place } } });
  const fromPath = caller === 'gemini' ? { model: 'm' } : {};
  const body = caller === 'gemini' ? asked[caller]!(hasOwn) : { model: 'm', ...asked[caller]!(hasOwn) };
  return bridge(
    providerOf(type)!,
    channel,
    buildRequest(caller, body, fromPath),
    'm',
    relayOptions,
  ).body.toString();
};

describe.each(callers)('a call of %s', (caller) => {
  it.each(types)('on a channel of type %i has the instructions of the channel', (type) => {
    const where = (place: SystemPrompt['place'], hasOwn: boolean): [number, number] => {
      const body = sent(caller, type, place, hasOwn);
      return [body.split(text).length - 1, body.split(own).length - 1];
    };
    for (const place of ['if-none', 'before', 'instead'] as const)
      expect(where(place, false)).toEqual([1, 0]);
    expect(where('if-none', true)).toEqual([0, 1]);
    expect(where('before', true)).toEqual([1, 1]);
    const body = sent(caller, type, 'before', true);
    expect(body.indexOf(text)).toBeLessThan(body.indexOf(own));
    expect(where('instead', true)).toEqual([1, 0]);
  });
});

it('keeps the blocks of a caller behind those of the channel', () => {
  const system = [{ type: 'text', text: own, cache_control: { type: 'ephemeral' } }];
  const request = buildRequest('anthropic-messages', {
    model: 'm',
    ...asked['anthropic-messages']!(false),
    system,
  });
  const channel = buildChannel({ type: 14, setting: { systemPrompt: { text, place: 'before' } } });
  const { body } = bridge(providerOf(14)!, channel, request, 'm', relayOptions);
  expect(JSON.parse(body.toString())).toMatchObject({ system: [{ type: 'text', text }, ...system] });
  expect(request.json.system).toEqual(system);
});

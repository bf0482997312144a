import { expect, it } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import { bridge } from './bridge.ts';
import { applyModelMapping } from './outgoing.ts';
import type { Provider } from './types/index.ts';
import { azure } from './providers/azure/index.ts';
import { bedrock } from './providers/bedrock/index.ts';
import { custom } from './providers/custom/index.ts';
import { gemini } from './providers/gemini/index.ts';

it.each(['.', '..'])('%s is refused as a model name, as requested and as mapped', (name) => {
  const refused = expect.objectContaining({ status: 400, code: 'invalid_model' }) as Error;
  expect(() => applyModelMapping({}, name)).toThrow(refused);
  expect(() => applyModelMapping({ a: name }, 'a')).toThrow(refused);
});

const hostile = [
  '../../v1/files',
  '%2e%2e/x',
  'a/../../b',
  'a?x=1',
  'a#b',
  'a:b:c',
  '..;/x',
  'a\\..\\b',
  'm..',
];

it.each<[string, Provider, Record<string, unknown>, string]>([
  ['Azure', azure, {}, '/openai/deployments/'],
  ['Bedrock', bedrock, { key: 'a|b|us-east-1' }, '/model/'],
  ['Gemini', gemini, {}, '/v1beta/models/'],
  ['an address of the operator’s', custom, { baseUrl: 'https://up.test/m/{model}/chat' }, '/m/'],
])('a model’s name is one segment of the path of %s, whatever it contains', (_, provider, fields, before) => {
  for (const model of hostile) {
    const channel = buildChannel({ baseUrl: 'https://up.test', type: provider.type, ...fields });
    const body = { model, messages: [{ role: 'user', content: 'hi' }] };
    const { url } = bridge(provider, channel, buildRequest('openai-chat', body), model, relayOptions);
    const { pathname, origin, searchParams } = new URL(url);
    expect(origin).toBe('https://up.test');
    expect(pathname.startsWith(before)).toBe(true);
    const step = pathname.slice(before.length).split('/')[0]!;
    expect(decodeURIComponent(step).replace(/:(streamG|g)enerateContent$/, '')).toBe(model);
    expect(searchParams.has('x')).toBe(false);
  }
});

import { channelTypeData, modelObject } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { channelKinds, providers } from '../../../relay/registry.ts';
import { channelTypesOf, modelObjectsOf, modelsByTypeOf } from './provider-data.ts';

describe('the console’s list of providers', () => {
  it('has one entry each, in the form of the contract', () => {
    const types = channelTypesOf(providers);
    expect(types.map(({ type }) => type)).toEqual(providers.map(({ type }) => type));
    for (const type of types) expect(channelTypeData.parse(type)).toEqual(type);
    expect(types.find(({ type }) => type === 43)).toMatchObject({
      name: { zh: 'DeepSeek', en: 'DeepSeek' },
      base_url: 'https://api.deepseek.com',
      can_fetch_models: true,
      has_balance: true,
    });
  });

  it('marks the vendors that closed, and only those', () => {
    const closed = channelTypesOf(channelKinds).filter((type) => type.closed);
    expect(closed.map(({ type, name }) => [type, name.en])).toEqual([
      [11, 'Google PaLM 2 (closed by its vendor)'],
      [21, 'AI Proxy library (closed by its vendor)'],
    ]);
  });

  it('lists every built-in model once, owned by the first that lists it', () => {
    const objects = modelObjectsOf(providers);
    expect(new Set(objects.map(({ id }) => id)).size).toBe(objects.length);
    for (const object of objects) expect(modelObject.parse(object)).toEqual(object);
    expect(objects.find(({ id }) => id === 'gpt-4o')?.owned_by).toBe('openai');
  });

  it('has every provider number, also those without models of their own', () => {
    expect(Object.keys(modelsByTypeOf(providers)).length).toBe(providers.length);
    expect(modelsByTypeOf(providers)['43']).toEqual(['deepseek-v4-flash', 'deepseek-v4-pro']);
  });
});

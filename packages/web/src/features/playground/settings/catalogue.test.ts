import type { PricingItem } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { groupFor, groupNames, modelChoices, pickModel } from './catalogue.ts';

const item = (name: string, change: Partial<PricingItem> = {}): PricingItem => ({
  model_name: name,
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0,
  owner_by: '',
  completion_ratio: 4,
  cache_ratio: 1,
  create_cache_ratio: 1,
  image_ratio: 1,
  audio_ratio: 1,
  audio_completion_ratio: 1,
  enable_groups: ['default'],
  unset: false,
  ...change,
});

describe('models', () => {
  const prices = [item('b-chat'), item('a-vip', { enable_groups: ['vip'] }), item('text-embedding-3')];

  test('of the group come first, chat models before the others', () => {
    const choices = modelChoices(['text-embedding-3', 'a-vip', 'b-chat', 'unlisted'], prices, 'default');
    expect(choices.map(({ name }) => name)).toEqual(['b-chat', 'unlisted', 'text-embedding-3', 'a-vip']);
    expect(choices.filter(({ here }) => here)).toHaveLength(3);
  });

  test('that are tools of a server are left out', () => {
    const tool = item('weather__now', { quota_type: 1, tool: true });
    const choices = modelChoices(['weather__now', 'b-chat'], [...prices, tool], 'default');
    expect(choices.map(({ name }) => name)).toEqual(['b-chat']);
  });

  test('the requested one is selected if the group has it, else gpt-4o-mini, else the first chat model', () => {
    const choices = modelChoices(['b-chat', 'a-vip', 'gpt-4o-mini'], prices, 'default');
    expect(pickModel(choices, 'b-chat')).toBe('b-chat');
    expect(pickModel(choices, 'a-vip')).toBe('gpt-4o-mini');
    expect(pickModel(modelChoices(['text-embedding-3', 'b-chat'], prices, 'default'), '')).toBe('b-chat');
    expect(pickModel(modelChoices(['a-vip'], prices, 'default'), '')).toBe('');
  });

  test('of another group select the first group that has them', () => {
    expect(groupFor(prices[1], 'default', ['default', 'vip'])).toBe('vip');
    expect(groupFor(prices[0], 'default', ['default', 'vip'])).toBe('default');
    expect(groupFor(prices[1], 'default', ['default'])).toBe('default');
    expect(groupFor(undefined, 'default', ['default'])).toBe('default');
  });
});

test("the user's own group is listed first", () => {
  const groups = { a: { ratio: 1, desc: '' }, own: { ratio: 2, desc: '' }, z: { ratio: 1, desc: '' } };
  expect(groupNames(groups, 'own')).toEqual(['own', 'a', 'z']);
  expect(groupNames(groups, 'gone')).toEqual(['a', 'own', 'z']);
});

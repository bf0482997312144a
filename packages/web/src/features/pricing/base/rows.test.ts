import type { PricingItem } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { priceRows, type PriceFilter } from './rows.ts';

const item = (name: string, rest: Partial<PricingItem> = {}): PricingItem => ({
  model_name: name,
  quota_type: 0,
  model_ratio: 1,
  model_price: 0,
  owner_by: '',
  completion_ratio: 1,
  cache_ratio: 1,
  create_cache_ratio: 1.25,
  image_ratio: 1,
  audio_ratio: 20,
  audio_completion_ratio: 2,
  enable_groups: ['default'],
  unset: false,
  ...rest,
});
const items = [
  item('claude-3'),
  item('dall-e-3', { quota_type: 1, model_price: 0.04 }),
  item('gpt-image', { quota_type: 1, model_price: 0.1 }),
  item('gpt-4o'),
  item('a-vip-model', { enable_groups: ['vip', 'secret'] }),
  item('GPT-Upper'),
];
const view = {
  group: 'default',
  groupRatios: { default: 2, vip: 0.5 },
  usableGroups: { default: '', vip: '' },
  quotaPerUnit: 500_000,
  servesUnpriced: false,
};
const all: PriceFilter = { keyword: '', type: 'all' };
const names = (filter: Partial<PriceFilter> = {}, group = 'default') =>
  priceRows(items, { ...view, group }, { ...all, ...filter }).map((row) => row.item.model_name);

describe('the price list', () => {
  it('has what the group can use first, then tokens before calls, gpt before others, then the alphabet', () => {
    expect(names()).toEqual(['gpt-4o', 'GPT-Upper', 'claude-3', 'gpt-image', 'dall-e-3', 'a-vip-model']);
    expect(names({}, 'vip')[0]).toBe('a-vip-model');
  });

  it('is searched by any part of a name, ignoring case and surrounding spaces', () => {
    expect(names({ keyword: ' gPt' })).toEqual(['gpt-4o', 'GPT-Upper', 'gpt-image']);
    expect(names({ keyword: 'nothing' })).toEqual([]);
    expect(names({ type: 'calls' })).toEqual(['gpt-image', 'dall-e-3']);
    expect(names({ type: 'tokens', keyword: 'e-3' })).toEqual(['claude-3']);
  });

  it('prices by the selected group, and names only groups that the user may use', () => {
    const [row] = priceRows(items, { ...view, group: 'vip' }, { ...all, keyword: 'vip' });
    expect(row).toMatchObject({ available: true, groups: ['vip'], groupRatio: 0.5 });
    expect(row?.prices).toMatchObject({ perMillion: { input: 1 } });
  });

  it('takes a group without a ratio as it stands', () => {
    const [row] = priceRows(items, { ...view, group: 'constructor' }, { ...all, keyword: 'claude' });
    expect(row).toMatchObject({ available: false, groupRatio: 1 });
  });

  it('does not show a model without a price as available, unless such models are served', () => {
    const unset = [item('unpriced', { unset: true, model_ratio: 37.5 }), item('zz-priced')];
    const [first, last] = priceRows(unset, view, all);
    expect(first).toMatchObject({ available: true, priced: true, item: { model_name: 'zz-priced' } });
    expect(last).toMatchObject({ available: false, priced: false, item: { model_name: 'unpriced' } });
    const [served] = priceRows(unset, { ...view, servesUnpriced: true }, { ...all, keyword: 'unpriced' });
    expect(served).toMatchObject({ available: true, priced: true });
  });
});

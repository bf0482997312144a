import type { PricingItem } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { formatPrice, pricesOf } from './prices.ts';

const item: PricingItem = {
  model_name: 'gpt-4o',
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0,
  owner_by: '',
  completion_ratio: 4,
  cache_ratio: 0.5,
  create_cache_ratio: 1.25,
  image_ratio: 1,
  audio_ratio: 20,
  audio_completion_ratio: 2,
  enable_groups: ['default'],
  unset: false,
};

describe('prices of a model', () => {
  it('are the ratio × 2 × the group’s ratio for a million tokens, each class by its own ratio', () => {
    expect(pricesOf(item, 1.5, 500_000)).toMatchObject({
      by: 'tokens',
      perMillion: { input: 3.75, output: 15, cacheRead: 1.875, cacheWrite5m: 4.6875, cacheWrite1h: 7.5 },
    });
  });

  it('are the fixed price × the group’s ratio for a call', () => {
    const drawn = { ...item, quota_type: 1 as const, model_ratio: 0, model_price: 0.1 };
    expect(pricesOf(drawn, 3, 500_000)).toEqual({ by: 'call', call: 0.3 });
  });

  it('follow what a dollar buys on the site', () => {
    expect(pricesOf(item, 1, 250_000)).toMatchObject({ perMillion: { input: 5 } });
  });

  it('are 0 for what is free', () => {
    expect(pricesOf({ ...item, model_ratio: 0 }, 1, 500_000)).toMatchObject({ perMillion: { output: 0 } });
  });
});

it('a price has two places, or as many as it needs', () => {
  expect([2.5, 0, 10, 0.0375, 1.875, 0.00000001].map(formatPrice)).toEqual([
    '$2.50',
    '$0.00',
    '$10.00',
    '$0.0375',
    '$1.875',
    '$0.00000001',
  ]);
});

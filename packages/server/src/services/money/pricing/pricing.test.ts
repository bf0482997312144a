import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type OptionData, price, pricingItem, type PriceSnapshot, usageOf } from '@tollgate/contract';
import { createSealer } from '../../../lib/seal.ts';
import { createSettings, type Settings } from '../../site/settings/index.ts';
import { createPricing, type Pricing } from './index.ts';

const quiet = () => undefined;
const warn = vi.fn<(fields: object, message: string) => void>();
const log = { debug: quiet, info: quiet, warn, error: quiet };
let settings: Settings;
let pricing: Pricing;
let now = 0;

beforeEach(async () => {
  now = 0;
  warn.mockClear();
  const rows = new Map<string, string>();
  settings = await createSettings({
    options: {
      all: () => Promise.resolve([...rows].map(([key, value]): OptionData => ({ key, value }))),
      put: (changed) => {
        for (const { key, value } of changed) rows.set(key, value);
        return Promise.resolve();
      },
    },
    sealer: createSealer(randomBytes(32)),
    log,
    clock: () => now,
  });
  pricing = createPricing({ settings, log });
});

/** The price, where the test expects one. */
function snapshotOf(model: string, group = 'default', acceptUnset = false): PriceSnapshot {
  const found = pricing.snapshot(model, group, { acceptUnset });
  if ('refusal' in found) throw new Error(found.refusal);
  return found;
}

describe('the price of a model', () => {
  it('is that of the default tables, at the ratio of the group', async () => {
    await settings.set('GroupRatio', '{"default":1,"vip":0.5}');
    const snapshot = snapshotOf('gpt-4o', 'vip');
    expect(snapshot).toMatchObject({
      mode: 'ratio',
      modelRatio: 1.25,
      completionRatio: 4,
      cacheRatio: 0.5,
      groupRatio: 0.5,
      modelPrice: -1,
      webSearchPrice: 10,
      unset: false,
    });
    expect(price(usageOf({ input: 1000, output: 500 }), snapshot).quota).toBe(1875);
    expect(snapshotOf('claude-sonnet-4-20250514')).toMatchObject({
      cacheWriteRatio: 1.25,
      cacheWrite1hRatio: 2,
    });
  });

  it('changes on the day that its vendor announced, and what is held at the old one stays so', async () => {
    now = Date.parse('2026-11-30T23:59:59Z');
    await settings.renew();
    const before = snapshotOf('gemini-4-argon-high');
    now += 1000;
    await settings.renew();
    const after = snapshotOf('gemini-4-argon-high');
    const usage = usageOf({ input: 1_000_000, cacheRead: 1_000_000, output: 1_000_000 });
    // Dollars: 2 + 0.1 + 10 before the change, 4 + 0.2 + 20 after it.
    expect([price(usage, before).quota, price(usage, after).quota]).toEqual([6_050_000, 12_100_000]);
  });

  it('is a price per call where one is set, and the ratios no longer count', async () => {
    await settings.set('ModelPrice', '{"gpt-4o":0.02}');
    const snapshot = snapshotOf('gpt-4o');
    expect(snapshot).toMatchObject({ mode: 'call', modelPrice: 0.02, modelRatio: 0 });
    expect(price(usageOf({ input: 1_000_000 }), snapshot).quota).toBe(10_000);
  });

  it('is what the administrator set, also for families with a rule of their own (docs/compatibility.md#deliberate-differences)', async () => {
    await settings.setMany({
      CompletionRatio: '{"gpt-4o":1}',
      CacheRatio: '{}',
      CreateCacheRatio: '{"gpt-4o":3}',
      ImageRatio: '{"gpt-4o":5}',
      AudioRatio: '{"gpt-4o":6}',
      AudioCompletionRatio: '{"gpt-4o":7}',
      QuotaPerUnit: '1000000',
    });
    expect(snapshotOf('gpt-4o')).toMatchObject({
      completionRatio: 1,
      cacheRatio: 1,
      cacheWriteRatio: 3,
      imageRatio: 5,
      audioRatio: 6,
      audioCompletionRatio: 7,
      quotaPerUnit: 1_000_000,
    });
  });

  it('is shared by the custom GPTs of a family', () => {
    expect(snapshotOf('gpt-4-gizmo-g-123')).toMatchObject({ mode: 'call', modelPrice: 0.1 });
    expect(snapshotOf('gpt-4o-gizmo-g-123')).toMatchObject({ modelRatio: 2.5, completionRatio: 3 });
  });

  it('is the same object until an option it depends on changes', async () => {
    const first = snapshotOf('gpt-4o');
    await settings.set('RetryTimes', '3');
    expect(snapshotOf('gpt-4o')).toBe(first);
    await settings.set('ModelRatio', '{"gpt-4o":9}');
    expect(snapshotOf('gpt-4o').modelRatio).toBe(9);
    expect(first.modelRatio).toBe(1.25);
  });

  it('treats a group without a ratio as 1 and logs it', () => {
    expect(snapshotOf('gpt-4o', 'nobody')).toMatchObject({ groupRatio: 1 });
    expect(warn).toHaveBeenCalledWith({ group: 'nobody' }, expect.stringContaining('no ratio'));
  });

  it('is at the ratio that users of a group have in another one, where there is one', async () => {
    await settings.set('GroupRatio', '{"default":1,"vip":0.8,"dear":1.5}');
    const ratioFor = (userGroup: string, group: string) =>
      pricing.snapshot('gpt-4o', group, { acceptUnset: false, userGroup });
    expect(ratioFor('vip', 'dear')).toMatchObject({ groupRatio: 1.5 });
    await settings.set('GroupGroupRatio', '{"vip":{"dear":1.1,"vip":0.7}}');
    expect(ratioFor('vip', 'dear')).toMatchObject({ groupRatio: 1.1 });
    expect(ratioFor('vip', 'vip')).toMatchObject({ groupRatio: 0.7 });
    expect(ratioFor('vip', 'default')).toMatchObject({ groupRatio: 1 });
    expect(ratioFor('dear', 'dear')).toMatchObject({ groupRatio: 1.5 });
    await settings.set('UserUsableGroups', '{"dear":"D"}');
    expect(pricing.describeGroups('vip')).toMatchObject({ dear: { ratio: 1.1 }, vip: { ratio: 0.7 } });
    expect(pricing.describeGroups('default')).toMatchObject({ dear: { ratio: 1.5 } });
    await expect(settings.set('GroupGroupRatio', '{"vip":{"dear":-1}}')).rejects.toThrow('dear');
  });

  it('has the search price of the requested context size', () => {
    const found = pricing.snapshot('unheard-of', 'default', { acceptUnset: true, searchKind: 'high' });
    expect(found).toMatchObject({ webSearchPrice: 30 });
  });
});

describe('a model without a price', () => {
  it('is refused, and not free (I12)', () => {
    const refused = pricing.snapshot('unheard-of', 'default', { acceptUnset: false });
    expect(refused).toEqual({ refusal: 'model_price_error' });
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(pricing.snapshot(name, 'default', { acceptUnset: false })).toHaveProperty('refusal');
    }
  });

  it('costs the stand-in ratio in self-use mode, or where the user allows it', async () => {
    expect(snapshotOf('unheard-of', 'default', true)).toMatchObject({ modelRatio: 37.5, unset: true });
    expect(pricing.snapshot('unheard-of', 'default', { acceptUnset: false })).toHaveProperty('refusal');
    await settings.set('SelfUseModeEnabled', 'true');
    expect(snapshotOf('unheard-of')).toMatchObject({ modelRatio: 37.5, unset: true });
  });

  it('is distinguished from one that is free on purpose', () => {
    expect(pricing.isPriced('unheard-of')).toBe(false);
    expect(pricing.isPriced('glm-4-flash')).toBe(true);
    expect(snapshotOf('glm-4-flash')).toMatchObject({ modelRatio: 0, unset: false });
  });
});

describe('the price list', () => {
  it('shows each model once, with all its groups, in the shape of the contract', () => {
    const items = pricing.pricingList([
      { model: 'gpt-4o', group: 'vip' },
      { model: 'dall-e-3', group: 'default' },
      { model: 'gpt-4o', group: 'default' },
      { model: 'unheard-of', group: 'default' },
    ]);
    expect(items.map((item) => pricingItem.parse(item))).toEqual(items);
    expect(items.map((item) => item.model_name)).toEqual(['dall-e-3', 'gpt-4o', 'unheard-of']);
    expect(items[0]).toMatchObject({ quota_type: 1, model_price: 0.04, model_ratio: 0 });
    expect(items[1]).toMatchObject({
      quota_type: 0,
      model_ratio: 1.25,
      model_price: 0,
      completion_ratio: 4,
      enable_groups: ['default', 'vip'],
      unset: false,
    });
    expect(items[2]).toMatchObject({ unset: true });
  });

  it('is reset to the default ratios on request', async () => {
    await settings.set('ModelRatio', '{"gpt-4o":9}');
    await pricing.resetModelRatio();
    expect(snapshotOf('gpt-4o').modelRatio).toBe(1.25);
    expect(snapshotOf('gpt-4o-mini').modelRatio).toBe(0.075);
  });
});

describe('groups', () => {
  it('that a user may use are those on offer and their own', () => {
    expect(pricing.usableGroups('default')).toEqual({ default: '默认分组', vip: 'vip分组' });
    expect(pricing.usableGroups('svip')).toEqual({ default: '默认分组', vip: 'vip分组', svip: '用户分组' });
  });

  it('are added and taken away for users of one group', async () => {
    await settings.set('UserUsableGroups', '{"default":"D","vip":"V"}');
    await settings.set(
      'group_ratio_setting.group_special_usable_group',
      '{"vip":{"+:svip":"S","dear":"E","-:default":""}}',
    );
    expect(pricing.usableGroups('vip')).toEqual({ vip: 'V', svip: 'S', dear: 'E' });
    expect(pricing.usableGroups('default')).toEqual({ default: 'D', vip: 'V' });
  });

  it('are described with their ratios, and left out when they have none', async () => {
    await settings.set('GroupRatio', '{"default":1,"svip":2}');
    expect(pricing.describeGroups('svip')).toEqual({
      default: { ratio: 1, desc: '默认分组' },
      svip: { ratio: 2, desc: '用户分组' },
    });
    expect(pricing.groupRatio('vip')).toBeUndefined();
  });

  it('of auto are those of its list that a user may choose, and auto is a choice where it has one', async () => {
    await settings.setMany({
      GroupRatio: '{"default":1,"vip":2,"own":3}',
      UserUsableGroups: '{"default":"D","vip":"V","gone":""}',
      AutoGroups: '["gone","auto","vip","secret","own","vip","default"]',
    });
    expect(pricing.autoGroups('default')).toEqual(['vip', 'default']);
    expect(pricing.autoGroups('own')).toEqual(['vip', 'own', 'default']);
    expect(pricing.groupChoices('default', 'en')).toEqual({
      auto: { ratio: 2, desc: 'The first with the model: vip → default', groups: ['vip', 'default'] },
      ...pricing.describeGroups('default', 'en'),
    });
    await settings.set('AutoGroups', '["default"]');
    expect(pricing.groupChoices('default')).not.toHaveProperty('auto');
    await settings.set('UserUsableGroups', '{"default":"D","auto":"A"}');
    expect(pricing.groupChoices('default')).toMatchObject({ auto: { desc: 'A', groups: ['default'] } });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quotaOf } from '../price.ts';
import { defaultPrices, listPrice, publishedRatios } from '../models/index.ts';
import { oneHourCacheFactor } from '../prices/index.ts';
import { usageOf } from '../usage.ts';
import {
  dollarsOf,
  entriesFor,
  entriesOf,
  cheapest,
  dearest,
  isJump,
  type PriceTables,
  priceTableKeys,
  ratiosIn,
  type TokenClass,
  tokenClasses,
  withPriceChanges,
} from './index.ts';

const noTables = Object.fromEntries(priceTableKeys.map((key) => [key, {}])) as PriceTables;
const quotaPerUnit = 500_000;
const priced = (dollars: Partial<Record<TokenClass, number>>) =>
  ratiosIn(
    withPriceChanges(noTables, [{ model: 'm', set: entriesFor(dollars, quotaPerUnit) }]).tables,
    'm',
    publishedRatios,
  );
const charge = (dollars: Partial<Record<TokenClass, number>>, what: 'input' | 'output') => {
  const ratios = priced(dollars);
  return quotaOf(usageOf({ [what]: 1_000_000 }), {
    ...ratios,
    cacheWrite1hRatio: ratios.cacheWriteRatio * oneHourCacheFactor,
    groupRatio: 1,
    webSearchPrice: 0,
    fileSearchPrice: 0,
    quotaPerUnit,
  });
};
/** Prices as vendors publish them: up to $500 per million tokens, in steps of a hundredth of a cent. */
const dollars = fc.integer({ min: 1, max: 5_000_000 }).map((n) => n / 10_000);

describe('dollars and ratios', () => {
  it('are the same price: a million tokens at so many dollars are charged as exactly that', () => {
    fc.assert(
      fc.property(dollars, dollars, (input, output) => {
        expect(charge({ input, output }, 'input')).toBe(Math.round(input * quotaPerUnit));
        expect(charge({ input, output }, 'output')).toBe(Math.round(output * quotaPerUnit));
      }),
    );
  });

  it('convert both ways without a difference on the bill', () => {
    const whole = fc.record(Object.fromEntries(tokenClasses.map((name) => [name, dollars])));
    fc.assert(
      fc.property(whole, (price) => {
        const entries = entriesFor(price, quotaPerUnit);
        const shown = dollarsOf(priced(price), quotaPerUnit);
        const again = entriesFor(shown, quotaPerUnit);
        for (const key of priceTableKeys)
          expect(Math.abs((again[key] ?? 0) - (entries[key] ?? 0))).toBeLessThanOrEqual(
            1e-9 + 1e-9 * (entries[key] ?? 0),
          );
      }),
    );
  });

  it('of every vendor in the built-in lists are charged as they are published, to the last digit', () => {
    const tables = { ...noTables, ModelRatio: defaultPrices.ModelRatio };
    const wrong = Object.keys(defaultPrices.ModelRatio).flatMap((model) => {
      const charged = dollarsOf(ratiosIn(tables, model, publishedRatios), quotaPerUnit);
      return Object.entries(listPrice(model) ?? {})
        .filter(([name, price]) => charged[name as TokenClass] !== price)
        .map(([name, price]) => ({ model, name, price, charged: charged[name as TokenClass] }));
    });
    expect(wrong).toEqual([]);
  });

  it('have no entry without an input price', () => {
    expect(entriesFor({ output: 5 }, quotaPerUnit)).toEqual({});
    expect(entriesFor({ input: 0, output: 5 }, quotaPerUnit)).toEqual({});
  });
});

describe('changes of tables', () => {
  const tables: PriceTables = { ...noTables, ModelRatio: { a: 1, b: 2 } };

  it('write what they name, delete what is null, and leave other tables as they are', () => {
    const { tables: after, changed } = withPriceChanges(tables, [
      { model: 'a', set: { ModelRatio: null, ModelPrice: 0.5 } },
      { model: 'c', set: { ModelRatio: 3, CompletionRatio: null } },
    ]);
    expect(after.ModelRatio).toEqual({ b: 2, c: 3 });
    expect(after.ModelPrice).toEqual({ a: 0.5 });
    expect(changed.toSorted()).toEqual(['ModelPrice', 'ModelRatio']);
    expect(after.CompletionRatio).toBe(tables.CompletionRatio);
    expect(tables.ModelRatio).toEqual({ a: 1, b: 2 });
  });

  it('without effect name no table', () => {
    expect(
      withPriceChanges(tables, [{ model: 'a', set: { ModelRatio: 1, CacheRatio: null } }]).changed,
    ).toEqual([]);
  });

  it('of one GPT of a family are those of the family', () => {
    const { tables: after } = withPriceChanges(tables, [
      { model: 'gpt-4-gizmo-g-1', set: { ModelRatio: 4 } },
    ]);
    expect(entriesOf(after, 'gpt-4-gizmo-g-2')).toEqual({ ModelRatio: 4 });
  });

  it('accept names of Object.prototype as names of models', () => {
    const { tables: after } = withPriceChanges(tables, [{ model: '__proto__', set: { ModelRatio: 4 } }]);
    expect(entriesOf(after, '__proto__')).toEqual({ ModelRatio: 4 });
    expect(entriesOf(after, 'constructor')).toEqual({});
  });
});

describe('the cache of a name with a suffix', () => {
  const tables: PriceTables = {
    ...noTables,
    ModelRatio: { 'o3-mini': 0.55, 'o3-mini-high': 0.6, 'claude-x': 1, 'claude-x-thinking': 1 },
    CacheRatio: { 'o3-mini': 0.5, 'claude-x': 0.1, 'claude-x-thinking': 0.2 },
    CreateCacheRatio: { 'claude-x': 1.3 },
  };

  it.each([
    ['o3-mini-high', { modelRatio: 0.6, cacheRatio: 0.5, cacheWriteRatio: 1.25 }],
    ['o3-mini-low', { modelRatio: 0.55, cacheRatio: 0.5, cacheWriteRatio: 1.25 }],
    ['claude-x-thinking', { modelRatio: 1, cacheRatio: 0.2, cacheWriteRatio: 1.3 }],
    ['claude-y-thinking', { cacheRatio: 1, cacheWriteRatio: 1.25, unset: true }],
  ])('%s is that of the name without it, unless it has its own', (model, price) => {
    expect(ratiosIn(tables, model, publishedRatios)).toMatchObject(price);
  });
});

describe('a jump', () => {
  it.each([
    [null, { input: 5, output: 5 }, false],
    [null, { input: 0, output: 5 }, true],
    [{ input: 1, output: 1 }, { input: 2, output: 2 }, false],
    [{ input: 1, output: 1 }, { input: 2.01, output: 1 }, true],
    [{ input: 1, output: 1 }, { input: 1, output: 0.49 }, true],
    [{ input: 1, output: 1 }, { input: 0, output: 0 }, true],
    [{ input: 0, output: 0 }, { input: 1, output: 1 }, true],
    [{ input: 1 }, { call: 1 }, true],
    [{ call: 1 }, { call: 1.5 }, false],
  ])('from %j to %j: %s', (before, after, jumps) => expect(isJump(before, after)).toBe(jumps));

  it('of some classes counts in both directions, and rounding in the last places is no change', () => {
    const [before, after] = [
      { input: 0.75, output: 4.5, cacheRead: 0.1 },
      { input: 0.7, output: 4.5000000003, cacheRead: 0.12 },
    ];
    expect([dearest(before, after), cheapest(before, after)]).toEqual([1.2, 0.933333]);
    expect(dearest({ input: 0.75, output: 4.5 }, { input: 0.7, output: 4.5000000003 })).toBe(1);
    expect(cheapest({ call: 1 }, { input: 1 })).toBeNull();
  });
});

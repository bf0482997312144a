import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DollarPrice,
  type PriceSourceName,
  priceSourceNames,
  type PriceTables,
  priceTableKeys,
  type SyncRow,
  tokenClasses,
  withPriceChanges,
} from '@tollgate/contract';
import { compare, type Lists } from './compare.ts';

const noTables = Object.fromEntries(priceTableKeys.map((key) => [key, {}])) as PriceTables;
const tablesWith = (some: Partial<PriceTables>): PriceTables => ({ ...noTables, ...some });
type Prices = Partial<Record<PriceSourceName, Record<string, DollarPrice>>>;
const listsOf = (prices: Prices): Lists =>
  new Map(
    priceSourceNames.map((source) => [
      source,
      (model) => {
        const dollars = prices[source]?.[model];
        return dollars && { vendor: 'openai', dollars };
      },
    ]),
  );
const rowsOf = (tables: PriceTables, prices: Prices, served: string[] = ['m']): SyncRow[] =>
  compare({ tables, served, quotaPerUnit: 500_000 }, listsOf(prices)).rows;

describe('the comparison', () => {
  it('offers a first price in ratios, with the lists that agree on it', () => {
    const [row] = rowsOf(noTables, {
      models_dev: { m: { input: 3, output: 15 } },
      openrouter: { m: { input: 3, output: 15, cacheRead: 0.3 } },
    });
    expect(row).toMatchObject({ state: 'new', today: null, decided: true });
    expect(row?.offers).toEqual([
      {
        sources: ['models_dev', 'openrouter'],
        dollars: { input: 3, output: 15, cacheRead: 0.3 },
        set: { ModelRatio: 1.5, CompletionRatio: 5, CacheRatio: 0.1 },
        dearer: null,
        needs_own: false,
      },
    ]);
  });

  it('shows each price where lists disagree, and leaves the choice where neither has a majority', () => {
    const prices: Prices = {
      models_dev: { m: { input: 1, output: 2 } },
      litellm: { m: { input: 2, output: 2 } },
    };
    const [row] = rowsOf(noTables, prices);
    expect(row).toMatchObject({ state: 'new', decided: false });
    expect(row?.offers.map(({ sources }) => sources)).toEqual([['models_dev'], ['litellm']]);
    const [third] = rowsOf(noTables, { ...prices, openrouter: { m: { input: 2, output: 2 } } });
    expect(third).toMatchObject({ decided: true });
    expect(third?.offers[0]?.sources).toEqual(['litellm', 'openrouter']);
  });

  it('marks price jumps, and another billing mode, for separate approval', () => {
    const today = tablesWith({ ModelRatio: { m: 1, n: 1, o: 1 }, CompletionRatio: { m: 1, n: 1, o: 1 } });
    const price = (input: number) => ({ input, output: input });
    const rows = rowsOf(today, { litellm: { m: price(3.9), n: price(4.1), o: { call: 0.1 } } }, [
      'm',
      'n',
      'o',
    ]);
    expect(rows.map(({ offers: [best] }) => [best?.dearer, best?.needs_own])).toEqual([
      [1.95, false],
      [2.05, true],
      [null, true],
    ]);
  });

  it('removes a price per call where token prices are listed, because it would apply first', () => {
    const [row] = rowsOf(tablesWith({ ModelPrice: { m: 0.1 } }), { litellm: { m: { input: 2, output: 2 } } });
    expect(row?.offers[0]).toMatchObject({ set: { ModelPrice: null, ModelRatio: 1 }, needs_own: true });
  });

  it('treats a model whose price equals the list’s, also by a family rule, as the same', () => {
    const here = {
      tables: tablesWith({ ModelRatio: { 'gpt-4o': 1.25 } }),
      served: ['gpt-4o'],
      quotaPerUnit: 500_000,
    };
    const lists = listsOf({ litellm: { 'gpt-4o': { input: 2.5, output: 10 } } });
    expect(compare(here, lists)).toEqual({ rows: [], same: 1, unlisted: [] });
  });

  it('names offered models without a price that are in no list', () => {
    const here = { tables: noTables, served: ['nobody-knows'], quotaPerUnit: 500_000 };
    expect(compare(here, listsOf({}))).toEqual({ rows: [], same: 0, unlisted: ['nobody-knows'] });
  });
});

const amount = fc.integer({ min: 1, max: 5_000_000 }).map((n) => n / 10_000);
const price: fc.Arbitrary<DollarPrice> = fc.oneof(
  fc.record({ call: amount }),
  fc.record(Object.fromEntries(tokenClasses.map((name) => [name, amount])), { requiredKeys: ['input'] }),
);
const models = ['gpt-4o', 'claude-sonnet-4-20250514', 'gemini-2.5-flash', 'whatever'];
const list = fc.dictionary(fc.constantFrom(...models), price, { maxKeys: 4 });
const table = fc.dictionary(fc.constantFrom(...models), amount, { maxKeys: 4 });

describe('approving', () => {
  it('every best offer leaves nothing to approve (any lists, any prices before)', () => {
    fc.assert(
      fc.property(
        list,
        list,
        list,
        fc.record(Object.fromEntries(priceTableKeys.map((key) => [key, table]))),
        fc.constantFrom(500_000, 1_000_000, 123_456),
        (models_dev, litellm, openrouter, before, quotaPerUnit) => {
          const lists = listsOf({ models_dev, litellm, openrouter });
          const here = { tables: before as PriceTables, served: models, quotaPerUnit };
          const { rows } = compare(here, lists);
          const changes = rows
            .filter(({ state }) => state !== 'same')
            .map(({ model, offers: [best] }) => ({ model, set: best?.set ?? {} }));
          const { tables } = withPriceChanges(here.tables, changes);
          const again = compare({ ...here, tables }, lists).rows;
          expect(again.filter(({ state }) => state !== 'same')).toEqual([]);
        },
      ),
    );
  });
});

import {
  declarationOf,
  type PriceTableKey,
  priceTableKeys,
  type PriceTables,
  publishedRatios,
  ratiosIn,
} from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import type { SourceChannel } from '../channels/read-channels.ts';
import { readCells } from '../kit/cells.ts';
import { aligned, differences } from './align-prices.ts';
import { planPrices } from './move-prices.ts';
import { defaultsOf } from './old-defaults.ts';
import { oldPrices } from './old-prices.ts';

const tables = (columns: string[]) => ({ tables: new Map([['channels', new Set(columns)]]) });
const newApi = { program: 'new-api', version: '' } as const;
const oneApi = { program: 'one-api', version: '' } as const;
const generations = [
  ['new-api of 2026', newApi, tables(['channel_info'])],
  ['new-api of 2025', newApi, tables([])],
  ['one-api', oneApi, tables([])],
] as const;

const ownTables = Object.fromEntries(
  priceTableKeys.map((key: PriceTableKey) => [key, declarationOf(key).default]),
) as PriceTables;

const channel = (id: number, sourceType: number, models: string, mapping = ''): SourceChannel => ({
  id,
  type: 1,
  sourceType,
  baseUrl: '',
  key: '',
  other: '',
  priceAfterMapping: mapping !== '',
  changes: [],
  cells: readCells({ id, models, model_mapping: mapping }, 'channels'),
});

describe.for(generations)('the prices that %s had built in', ([, source, columns]) => {
  it('are written out so that every one of its models costs the same, and none has tiers', () => {
    const prices = oldPrices(new Map(), defaultsOf(source, columns), source.program === 'one-api');
    const wanted = new Map(prices.names.map((name) => [name, prices.of(name)!] as const));
    expect(wanted.size).toBeGreaterThan(150);
    for (const [name, price] of wanted) if (price === undefined) wanted.delete(name);
    const { book } = aligned({ tables: ownTables, terms: {} }, wanted);
    expect([...wanted].flatMap(([name, price]) => differences(name, price, book))).toEqual([]);
    for (const terms of Object.values(book.terms)) expect(terms).toEqual({});
  });
});

describe('a price of new-api', () => {
  const options = new Map([
    ['ModelRatio', '{"gpt-5":0.625,"own":2,"bad":-1,"worse":"x"}'],
    ['CompletionRatio', '{"gpt-5":5,"own":3}'],
  ]);
  const prices = oldPrices(options, defaultsOf(newApi, tables(['channel_info'])), false);

  it('has the locked ratio of output, whatever was stored', () => {
    expect(prices.of('gpt-5')).toMatchObject({ completionRatio: 8, cacheRatio: 0.1 });
    expect(prices.of('own')).toMatchObject({ modelRatio: 2, completionRatio: 3 });
  });

  it('is none where the stored table has none, or what no price can be', () => {
    for (const model of ['gpt-4o', 'bad', 'worse']) expect(prices.of(model)).toBeUndefined();
    expect(prices.unusable).toEqual([
      { key: 'ModelRatio', model: 'bad', value: '-1' },
      { key: 'ModelRatio', model: 'worse', value: '"x"' },
    ]);
  });
});

describe('a price of one-api', () => {
  const options = new Map([
    ['ModelRatio', '{"a":1,"b":2,"b(1)":3,"target":7}'],
    ['CompletionRatio', '{"b(1)":5}'],
  ]);
  const prices = oldPrices(options, defaultsOf(oneApi, tables([])), true);
  const planned = (...channels: SourceChannel[]) => planPrices(prices, channels);

  it('is that of the name behind the mapping, whatever other channels map it to, and of the type of the channel', () => {
    const plan = planned(channel(1, 1, 'a,b', '{"a":"target"}'), channel(2, 1, 'a'));
    expect(plan.wanted.get('a')).toMatchObject({ modelRatio: 1 });
    expect(plan.wanted.get('target')).toMatchObject({ modelRatio: 7 });
    expect(plan.wanted.get('b')).toMatchObject({ modelRatio: 3, completionRatio: 5 });
    expect(plan.conflicts.size).toBe(0);
  });

  it('leaves the channels off that have another one than most', () => {
    const plan = planned(channel(1, 1, 'a,b'), channel(2, 8, 'a,b'), channel(3, 8, 'a,b'));
    expect(plan.wanted.get('a')).toMatchObject({ modelRatio: 1 });
    expect(plan.wanted.get('b')).toMatchObject({ modelRatio: 2 });
    expect([...plan.conflicts.keys()]).toEqual([1]);
  });

  it('is its ratio for all such where a model has none', () => {
    const plan = planned(channel(1, 1, 'gpt-nothing,a', '{"a":"nowhere"}'));
    expect(plan.wanted.get('gpt-nothing')).toMatchObject({ modelRatio: 30 });
    expect(plan.standIns).toEqual(['gpt-nothing', 'nowhere']);
    expect(ratiosIn(ownTables, 'gpt-nothing', publishedRatios).unset).toBe(true);
  });
});

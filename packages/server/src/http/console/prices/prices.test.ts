import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  auditApi,
  declarationOf,
  optionApi,
  type PriceSourceName,
  priceSyncApi,
  pricesApi,
  role,
  type SyncReport,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPriceSync, maxListBytes } from '../../../services/money/price-sync/index.ts';
import { createPriceBook } from '../../../services/money/pricing/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';
import {
  type FakePriceLists,
  liteLlmList,
  modelsDevList,
  openPriceLists,
} from '../../../testing/upstream/price-lists.ts';
import { pricesRoutes } from './index.ts';

let lists: FakePriceLists;
let house: House;
let root: Agent;
let served: string[];
beforeEach(async () => {
  lists = await openPriceLists();
  served = ['gpt-new', 'gpt-4o', 'nobody-knows'];
  house = await openHouse({
    routes: ({ settings, http, env, clock, log }) => {
      const prices = createPriceBook(settings, clock);
      const deps = { settings, prices, http, dataDir: env.dataDir, clock, log, served: () => served };
      return pricesRoutes({ prices, priceSync: createPriceSync(deps), served: () => served });
    },
  });
  root = await house.person('chief', { role: role.root });
});
afterEach(async () => {
  await house.close();
  await lists.close();
});

const switchOn = (sources = lists.sources) =>
  house.core.settings.setMany({ PriceSyncSources: sources, PriceSyncEnabled: 'true' });
const compared = async (again: 'true' | 'false' = 'false') =>
  (await root.must(priceSyncApi.compare, { again })) as SyncReport;
const rowOf = ({ rows }: SyncReport, model: string) => rows.find((row) => row.model === model);
const stateOf = ({ sources }: SyncReport, source: PriceSourceName) =>
  sources.find((each) => each.source === source)?.state;
const prices = () =>
  root.must(pricesApi.list, {}) as Promise<{ tables: Record<string, Record<string, number>> }>;

describe('the tables of prices', () => {
  it('are read by administrators, changed by root alone, and refused to others', async () => {
    const admin = await house.person('admin', { role: role.admin });
    const user = await house.person('somebody');
    expect(await admin.must(pricesApi.list, {})).toMatchObject({
      served,
      tables: { ModelRatio: { 'gpt-4o': 1.25 } },
    });
    const changes = [{ model: 'gpt-new', set: { ModelRatio: 2 }, seen: {} }];
    const approved = { rows: changes.map((change) => ({ ...change, own: true })) };
    for (const reply of [
      await user.call(pricesApi.list, {}),
      await admin.call(pricesApi.update, { changes }),
      await admin.call(priceSyncApi.compare, {}),
      await admin.call(priceSyncApi.approve, approved),
    ])
      expect(reply.body.code).toBe('insufficient_role');
    expect((await prices()).tables['ModelRatio']).not.toHaveProperty('gpt-new');
  });

  it('change in one write, for several models and tables, and apply to the next price at once', async () => {
    const changes = [
      { model: 'gpt-new', set: { ModelRatio: 1.5, CompletionRatio: 5 }, seen: {} },
      { model: 'gpt-4o', set: { ModelRatio: null, ModelPrice: 0.02 }, seen: { ModelRatio: 1.25 } },
    ];
    expect(await root.must(pricesApi.update, { changes })).toEqual({ changed: 2 });
    const priced = house.core.pricing.snapshot('gpt-new', 'default', { acceptUnset: false });
    expect(priced).toMatchObject({ modelRatio: 1.5, completionRatio: 5, unset: false });
    expect(house.core.pricing.snapshot('gpt-4o', 'default', { acceptUnset: false })).toMatchObject({
      mode: 'call',
      modelPrice: 0.02,
    });
    const audit = (await root.must(auditApi.list, { kind: 'setting.save' })) as {
      items: { changes: object }[];
    };
    expect(JSON.stringify(audit.items)).toContain('gpt-new');
  });

  it('are left unchanged as a whole when one entry differs from what the client saw', async () => {
    const changes = [
      { model: 'gpt-new', set: { ModelRatio: 1.5 }, seen: {} },
      { model: 'gpt-4o', set: { ModelRatio: 2 }, seen: { ModelRatio: 99 } },
    ];
    const reply = await root.call(pricesApi.update, { changes });
    expect(reply.body).toMatchObject({ success: false, code: 'price_changed' });
    expect((await prices()).tables['ModelRatio']).not.toHaveProperty('gpt-new');
  });

  it('keep both of two concurrent changes', async () => {
    await Promise.all(
      ['a', 'b', 'c'].map((model) =>
        root.must(pricesApi.update, { changes: [{ model, set: { ModelRatio: 7 }, seen: {} }] }),
      ),
    );
    expect((await prices()).tables['ModelRatio']).toMatchObject({ a: 7, b: 7, c: 7 });
  });

  it.each([-1, 'x', 1e12])('refuse a price of %s', async (value) => {
    const reply = await root.call(pricesApi.update, {
      changes: [{ model: 'gpt-new', set: { ModelRatio: value as number }, seen: {} }],
    });
    expect(reply.body.success).toBe(false);
    expect((await prices()).tables['ModelRatio']).not.toHaveProperty('gpt-new');
  });

  it('list what vendors have announced, and whether it applies by itself', async () => {
    const soon = async () => {
      const { announced, follows } = (await root.must(pricesApi.list, {})) as {
        announced: { model: string }[];
        follows: boolean;
      };
      return [announced.find(({ model }) => model === 'gemini-4-argon'), follows];
    };
    const announced = { model: 'gemini-4-argon', day: '2026-12-01', ratio: 2 };
    expect(await soon()).toEqual([announced, true]);
    await root.must(pricesApi.update, { changes: [{ model: 'gpt-new', set: { ModelRatio: 2 }, seen: {} }] });
    expect(await soon()).toEqual([announced, false]);
    house.time.ms = Date.parse('2026-12-02T00:00:00Z');
    root = await house.signIn('chief');
    expect(await soon()).toEqual([announced, false]);
    await root.must(pricesApi.update, {
      changes: [{ model: 'gemini-4-argon', set: { ModelRatio: 2 }, seen: { ModelRatio: 1 } }],
    });
    expect(await soon()).toEqual([undefined, false]);
  });
});

describe('public price lists', () => {
  const read = { cause: '', status: 0, reason: '' };

  it('are not fetched until they are enabled', async () => {
    expect(await compared('true')).toMatchObject({ enabled: false, checked_time: 0, rows: [], sources: [] });
    expect(lists.asked).toEqual([]);
  });

  it('learn nothing about this site: one GET each, with the headers that the setting names', async () => {
    await switchOn();
    await compared();
    expect(lists.asked.map(({ path }) => path).toSorted()).toEqual([
      '/litellm',
      '/models_dev',
      '/openrouter',
    ]);
    const { help } = declarationOf('PriceSyncEnabled');
    for (const { headers } of lists.asked) {
      const { host: _host, connection: _connection, ...own } = headers;
      expect(own).toEqual({
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'tollgate',
      });
    }
    for (const words of ['Accept-Encoding', 'User-Agent: tollgate'])
      expect(help.zh.includes(words) && help.en.includes(words)).toBe(true);
  });

  it('are compared with one another and with today’s prices, and change nothing by that', async () => {
    const before = await prices();
    await switchOn();
    const report = await compared();
    expect(report).toMatchObject({ enabled: true, unlisted: ['nobody-knows'] });
    expect(report.sources).toEqual([
      { source: 'models_dev', state: 'ok', models: 4, free: 1, ...read },
      { source: 'litellm', state: 'ok', models: 7, free: 0, ...read },
      { source: 'openrouter', state: 'ok', models: 2, free: 1, ...read },
    ]);
    expect(rowOf(report, 'gpt-new')).toMatchObject({
      state: 'new',
      vendor: 'openai',
      served: true,
      offers: [
        { sources: ['models_dev', 'litellm'], set: { ModelRatio: 1.5, CompletionRatio: 5, CacheRatio: 0.1 } },
      ],
    });
    expect(rowOf(report, 'gpt-4o')).toBeUndefined();
    expect(report.same).toBeGreaterThan(0);
    expect(await prices()).toEqual(before);
  });

  it('are fetched again after a minute on request, otherwise after an hour', async () => {
    await switchOn();
    await Promise.all([compared(), compared('true')]);
    house.time.ms += 61_000;
    await compared();
    expect(lists.asked).toHaveLength(3);
    await compared('true');
    expect(lists.asked).toHaveLength(6);
    house.time.ms += 3_600_000;
    await compared();
    expect(lists.asked).toHaveLength(9);
  });

  it('tell why they could not be read by a cause that each language has words for', async () => {
    const { dataDir } = house.core.env;
    let readings = 0;
    const readCause = async (place: string) => {
      // Each reading changes the place of another list. Otherwise the comparison would use an earlier reading.
      readings += 1;
      await switchOn(JSON.stringify({ models_dev: place, litellm: '', openrouter: `file:${readings}` }));
      const { state, cause, status } = (await compared()).sources[0]!;
      return { state, cause, status };
    };
    const failed = (cause: string, status = 0) => ({ state: 'failed', cause, status });
    const place = (JSON.parse(lists.sources) as { models_dev: string }).models_dev;
    const answers: [unknown, number, ReturnType<typeof failed>][] = [
      ['gone', 503, failed('status', 503)],
      ['<html>', 200, failed('not_json')],
      ['[]', 200, failed('other_form')],
      ['x'.repeat(9 * 1024 * 1024), 200, failed('too_large')],
    ];
    for (const [body, status, expected] of answers) {
      lists.answer('models_dev', body, status);
      expect(await readCause(place)).toEqual(expected);
    }
    await writeFile(join(dataDir, 'large.json'), 'x'.repeat(9 * 1024 * 1024));
    await symlink('/etc/hostname', join(dataDir, 'beyond.json'));
    expect(await readCause('http://127.0.0.1:9/')).toEqual(failed('refused'));
    expect(await readCause('file:none.json')).toEqual(failed('no_file'));
    expect(await readCause('file:large.json')).toEqual(failed('too_large'));
    expect(await readCause('file:beyond.json')).toEqual(failed('outside'));
  });

  it('may be files below the data folder, and not outside of it', async () => {
    const { dataDir } = house.core.env;
    await writeFile(join(dataDir, 'prices.json'), JSON.stringify(liteLlmList));
    await symlink('/etc/hostname', join(dataDir, 'elsewhere.json'));
    await switchOn('{"models_dev":"file:elsewhere.json","litellm":"file:prices.json","openrouter":""}');
    const report = await compared();
    expect(lists.asked).toEqual([]);
    expect(report.sources.map(({ state }) => state)).toEqual(['failed', 'ok', 'off']);
    expect(rowOf(report, 'gpt-new')?.offers[0]?.dollars).toEqual({ input: 3, output: 15 });
    await writeFile(join(dataDir, 'secret.txt'), 'k7Qm2xLr9');
    await switchOn('{"models_dev":"file:secret.txt","litellm":"","openrouter":""}');
    const refused = (await compared()).sources[0];
    expect(refused).toMatchObject({
      state: 'failed',
      cause: 'not_json',
      reason: 'UnreadableList: it is not JSON',
    });
    for (const place of ['file:../x', 'file:/etc/passwd', 'ftp://x', 'file:a/../../b']) {
      const value = JSON.stringify({ models_dev: place, litellm: '', openrouter: '' });
      expect((await root.call(optionApi.update, { key: 'PriceSyncSources', value })).body.code).toBe(
        'setting_malformed',
      );
    }
  });

  it.each<[string, unknown, number, string]>([
    ['an error', '{}', 500, 'failed'],
    ['no JSON', '<html>', 200, 'failed'],
    ['cut off', JSON.stringify(modelsDevList).slice(0, 200), 200, 'failed'],
    ['another form', '[]', 200, 'failed'],
    ['nothing', '', 200, 'failed'],
    ['no models', '{}', 200, 'empty'],
    ['too much', 'x'.repeat(maxListBytes + 1), 200, 'failed'],
  ])('that answer with %s propose nothing', async (_what, body, status, state) => {
    lists.answer('models_dev', body, status);
    lists.answer('litellm', '{}');
    lists.answer('openrouter', '{"data":[]}');
    await switchOn();
    const report = await compared();
    expect(stateOf(report, 'models_dev')).toBe(state);
    expect(report.rows).toEqual([]);
  });

  it('that make everything free are rejected, and propose nothing', async () => {
    const free = (model: string) => [model, { input_cost_per_token: 0, output_cost_per_token: 0 }];
    const known = Object.keys(house.core.settings.get('ModelRatio')).slice(0, 50);
    lists.answer('litellm', {
      ...Object.fromEntries(known.map(free)),
      'gpt-new': { input_cost_per_token: 9, output_cost_per_token: 9, litellm_provider: 'openai' },
    });
    await switchOn();
    const report = await compared();
    expect(stateOf(report, 'litellm')).toBe('doubtful');
    expect(rowOf(report, 'gpt-new')?.offers[0]?.sources).toEqual(['models_dev']);
  });
});

describe('an approved proposal', () => {
  const approve = (row: object, own = false) =>
    root.call(priceSyncApi.approve, { rows: [{ model: 'gpt-new', set: {}, seen: {}, ...row, own }] });

  it('is written, applies to the next call, and is no longer proposed', async () => {
    await switchOn();
    const { model, seen, offers } = rowOf(await compared(), 'gpt-new')!;
    expect(await root.must(priceSyncApi.approve, { rows: [{ model, seen, set: offers[0]!.set }] })).toEqual({
      changed: 1,
    });
    expect(house.core.pricing.snapshot('gpt-new', 'default', { acceptUnset: false })).toMatchObject({
      modelRatio: 1.5,
      completionRatio: 5,
      cacheRatio: 0.1,
    });
    expect(rowOf(await compared(), 'gpt-new')).toBeUndefined();
  });

  it('is never a price of 0, not even with an approval of its own', async () => {
    for (const set of [
      { ModelRatio: 0 },
      { ModelPrice: 0 },
      { ModelRatio: 1, CompletionRatio: 0 },
      { ModelRatio: null },
    ])
      expect((await approve({ set }, true)).body.code).toBe('price_is_zero');
    expect(house.core.pricing.isPriced('gpt-new')).toBe(false);
  });

  it('needs an approval of its own where a price jumps', async () => {
    const jump = { model: 'gpt-4o', set: { ModelRatio: 12.5 }, seen: { ModelRatio: 1.25 } };
    expect((await approve(jump)).body.code).toBe('price_needs_own_approval');
    expect(house.core.settings.get('ModelRatio')['gpt-4o']).toBe(1.25);
    expect((await approve(jump, true)).body.success).toBe(true);
    expect(house.core.settings.get('ModelRatio')['gpt-4o']).toBe(12.5);
  });

  it('is refused as a whole where a price has changed since it was seen', async () => {
    const stale = { model: 'gpt-4o', set: { ModelRatio: 1.5 }, seen: { ModelRatio: 1 } };
    expect((await approve(stale)).body.code).toBe('price_changed');
  });
});

import { GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { fakeGoogleFiles } from '../../testing/upstream/fake-google-files.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';

const model = 'gemini-2.5-flash';
const keys = ['AIza-first', 'AIza-second'];
const hour = 3_600_000;
let gate: GatewayHarness;
let caller: TestCaller;
let google: GoogleGenAI;
let now: number;
let vendor: ReturnType<typeof fakeGoogleFiles>;

const clientOf = ({ key }: TestCaller): GoogleGenAI =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gate.url } });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const askedKey = (): string => String(gate.upstream.requests.at(-1)!.headers['x-goog-api-key']);
const create = (config = {}, client = google) =>
  client.caches.create({
    model,
    config: { contents: [{ role: 'user', parts: [{ text: 'A long book.' }] }], ttl: '7200s', ...config },
  });
const balance = async (): Promise<{ balance: number; held: number }> => {
  await gate.core.ledger.flush();
  return gate.readBalance(caller);
};
const rowsOf = async () => {
  await gate.core.ledger.flush();
  return gate.core.store.db
    .selectFrom('logs')
    .select(['model_name', 'quota', 'prompt_tokens'])
    .where('type', '=', 2)
    .orderBy('id')
    .execute();
};
const sweep = () => gate.relay.house.sales.releaseExpired();
/** 10,000 tokens at $0.30 a million, and at $1 a million and hour, in quota units of 1/500,000 dollar. */
const input = 1_500;
const perHour = 5_000;

beforeEach(async () => {
  now = 1_800_000_000_000;
  gate = await openGateway({}, {}, () => now);
  const usageMetadata = {
    promptTokenCount: 10_003,
    cachedContentTokenCount: 10_000,
    candidatesTokenCount: 1,
  };
  const candidates = [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }];
  vendor = fakeGoogleFiles(json({ candidates, usageMetadata }), () => now);
  gate.upstream.script(vendor.behaviour);
  await gate.core.settings.set('PriceTerms', JSON.stringify({ [model]: { cacheStorage: 1 } }));
  for (const key of keys) await gate.addChannel({ name: key, type: 24, key, models: model });
  caller = await gate.addCaller();
  google = clientOf(caller);
});
afterEach(async () => {
  await gate.core.ledger.flush();
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

describe('cached content', () => {
  it('is charged as input at once, and by the hour up to its deletion', async () => {
    const before = await balance();
    const made = await create();
    expect(made).toMatchObject({ model: `models/${model}`, usageMetadata: { totalTokenCount: 10_000 } });
    expect(await balance()).toEqual({ balance: before.balance - input, held: 2 * perHour });
    const key = askedKey();
    expect(await google.caches.get({ name: made.name! })).toEqual(made);
    expect((await google.caches.list()).page).toEqual([made]);
    now += hour / 2;
    await google.caches.delete({ name: made.name! });
    expect(askedKey()).toBe(key);
    expect(await balance()).toEqual({ balance: before.balance - input - perHour / 2, held: 0 });
    expect(await rowsOf()).toEqual([
      { model_name: model, quota: input, prompt_tokens: 10_000 },
      { model_name: `app:cache:${model}`, quota: perHour / 2, prompt_tokens: 0 },
    ]);
    expect([(await google.caches.list()).page, vendor.caches.size, await sweep()]).toEqual([[], 0, 0]);
    expect(await readFailure(google.caches.get({ name: made.name! }))).toMatchObject({ status: 404 });
  });

  it('takes the calls that name it to its channel, at the price of cached tokens', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { name } = await create();
      const key = askedKey();
      for (const cachedContent of [name!, ` ${name!}`, name!.replace('c', '%63')]) {
        await google.models.generateContent({ model, contents: 'Who?', config: { cachedContent } });
        expect(askedKey()).toBe(key);
      }
      await google.caches.delete({ name: name! });
    }
    const charged = (await rowsOf()).filter(({ prompt_tokens: tokens }) => tokens === 10_003);
    // A tenth for cached tokens: 10,000 × 0.03 + 3 × 0.3 + 1 × 2.5, in units of half a millionth.
    expect(charged.map(({ quota }) => quota)).toEqual(Array.from({ length: 12 }, () => 152));
  });

  it('is held for longer before its life is longer, and is charged whole when it expires', async () => {
    const before = await balance();
    const { name } = await create({ ttl: '3600s' });
    now += hour / 2;
    const updated = await google.caches.update({ name: name!, config: { ttl: '7200s' } });
    expect(Date.parse(updated.expireTime!)).toBe(now + 2 * hour);
    expect((await balance()).held).toBe(2.5 * perHour);
    now += 1.9 * hour;
    expect(await sweep()).toBe(0);
    expect((await google.caches.list()).page).toHaveLength(1);
    now += 0.1 * hour;
    expect([await sweep(), await sweep()]).toEqual([1, 0]);
    expect(await balance()).toEqual({ balance: before.balance - input - 2.5 * perHour, held: 0 });
    expect((await google.caches.list()).page).toEqual([]);
  });

  it('has no longer life whose storage has been charged by then', async () => {
    const before = await balance();
    const { name } = await create({ ttl: '3600s' });
    gate.upstream.script(async (exchange) => {
      if (exchange.method === 'PATCH') {
        now += hour;
        await sweep();
      }
      return vendor.behaviour(exchange);
    });
    const longer = google.caches.update({ name: name!, config: { ttl: '7200s' } });
    expect(await readFailure(longer)).toMatchObject({ status: 404 });
    expect((await google.caches.list()).page).toEqual([]);
    expect(await balance()).toEqual({ balance: before.balance - input - perHour, held: 0 });
  });

  it('that cannot be held for is not made longer, and not kept at all', async () => {
    const poor = await gate.addCaller({ balance: input + 1.5 * perHour });
    const client = clientOf(poor);
    const { name } = await create({ ttl: '3600s' }, client);
    const refused = await readFailure(client.caches.update({ name: name!, config: { ttl: '7200s' } }));
    expect(refused).toMatchObject({ status: 403 });
    expect(gate.upstream.requests.at(-1)!.method).toBe('POST');
    await client.caches.delete({ name: name! });
    // The vendor counts more than was estimated: the content goes, its input is charged.
    vendor.tokens = 40_000;
    for (const rest of [100, 4 * input]) {
      const other = await gate.addCaller({ balance: 4 * input + rest });
      expect(await readFailure(create({}, clientOf(other)))).toMatchObject({ status: 403 });
      expect(gate.upstream.requests.at(-1)!.method).toBe('DELETE');
      expect(vendor.caches.size).toBe(0);
      await gate.core.ledger.flush();
      expect(await gate.readBalance(other)).toEqual({ balance: rest, held: 0 });
    }
  });

  it('is charged up to the request of its deletion if the process dies, and returns holds of an unfinished creation', async () => {
    const { name } = await create();
    now += hour;
    const { balance: before } = await balance();
    const found = await gate.relay.gateway.vendorFiles.find(caller.userId, name!);
    const sales = gate.relay.house.sales;
    const sale = (await sales.find(found!.purpose))!;
    await sales.store(sale, { ...sale.storage!, endedAt: now });
    now += 0.5 * hour;
    expect(await sweep()).toBe(1);
    expect(await balance()).toEqual({ balance: before - perHour, held: 0 });
    // A vendor that never answers leaves nothing but time.
    gate.upstream.next('refuse-500');
    expect(await readFailure(create())).toMatchObject({ status: 500 });
    expect(await balance()).toEqual({ balance: before - perHour, held: 0 });
  });

  it('belongs to its user, has a price, and its hold is no hold of an application', async () => {
    const { name } = await create();
    const other = clientOf(await gate.addCaller({ role: 100 }));
    const calls = [
      () => other.caches.get({ name: name! }),
      () => other.caches.update({ name: name!, config: { ttl: '60s' } }),
      () => other.caches.delete({ name: name! }),
      () => other.models.generateContent({ model, contents: 'x', config: { cachedContent: name! } }),
    ];
    const sent = gate.upstream.requests.length;
    for (const call of calls) expect(await readFailure(call())).toMatchObject({ status: 404 });
    expect((await other.caches.list()).page).toEqual([]);
    expect(gate.upstream.requests).toHaveLength(sent);
    const { purpose: id } = (await gate.relay.gateway.vendorFiles.find(caller.userId, name!))!;
    const released = await fetch(`${gate.url}/v1/ledger/release`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}` },
      body: JSON.stringify({ id }),
    });
    expect(released.status).toBe(404);
    await google.caches.delete({ name: name! });
    await gate.core.settings.set('PriceTerms', JSON.stringify({ [model]: {} }));
    const before = await balance();
    expect(String(await readFailure(create()))).toContain('model_price_error');
    expect(await balance()).toEqual(before);
  });
});

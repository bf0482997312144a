import { product } from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// A channel may price the name that a model is mapped to. The cost of a call is held before the request to a channel.

let gate: GatewayHarness;
/** Quota units of a call by name. */
const prices = { alias: 10, cheap: 4, dear: 1_000 };
let added: number[] = [];

async function setPrices(): Promise<void> {
  const dollars = Object.entries(prices).map(([name, units]) => [name, units / 500_000]);
  await gate.core.settings.set('ModelPrice', JSON.stringify(Object.fromEntries(dollars)));
}

beforeAll(async () => {
  gate = await openGateway();
  await setPrices();
  await gate.core.settings.set('RetryTimes', '3');
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.core.channels.remove(added);
  added = [];
});
afterAll(() => gate.close());

/** Channel of `alias`. With a name, its calls are mapped to that name and priced by it. */
async function offer(priority: number, mapped?: string, more: object = {}): Promise<number> {
  const mapping = mapped !== undefined && {
    model_mapping: JSON.stringify({ alias: mapped }),
    setting: '{"price_after_mapping":true}',
  };
  const id = await gate.addChannel({ models: 'alias', priority, ...mapping, ...more });
  added.push(id);
  return id;
}

const messages = [{ role: 'user', content: 'hi' }];
const call = (caller: TestCaller, path: string, body: object) =>
  fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const chat = (caller: TestCaller) => call(caller, '/v1/chat/completions', { model: 'alias', messages });

async function lastRow(caller: TestCaller) {
  await gate.core.ledger.flush();
  const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
  const { model_name: model, quota, channel_id: channel, other } = rows[0]!;
  return { model, quota, channel, priced: (JSON.parse(other) as { priced_model?: string }).priced_model };
}

describe('a channel that prices the name after mapping', () => {
  it.each<[string, object]>([
    ['/v1/chat/completions', { messages }],
    ['/v1/chat/completions', { messages, stream: true }],
    ['/v1/completions', { prompt: 'hi' }],
    ['/v1/responses', { input: 'hi' }],
    ['/v1/messages', { max_tokens: 5, messages }],
    ['/v1/embeddings', { input: 'hi' }],
  ])('charges that at %s, and shows both names', async (path, body) => {
    const caller = await gate.addCaller({ balance: prices.dear });
    const channel = await offer(0, 'dear');
    const answer = await call(caller, path, { model: 'alias', ...body });
    await answer.text();
    expect(await lastRow(caller)).toEqual({ model: 'alias', quota: prices.dear, channel, priced: 'dear' });
    expect(await gate.readBalance(caller)).toEqual({ balance: 0, held: 0 });
  });

  it('asks nobody where the balance does not cover it', async () => {
    const before = gate.upstream.requests.length;
    const caller = await gate.addCaller({ balance: prices.dear - 1 });
    await offer(0, 'dear');
    expect((await chat(caller)).status).toBe(403);
    expect(gate.upstream.requests).toHaveLength(before);
  });

  it('leaves the price of others alone, who map the model too', async () => {
    const caller = await gate.addCaller();
    const channel = await offer(0, undefined, { model_mapping: '{"alias":"dear"}' });
    await (await chat(caller)).text();
    expect(await lastRow(caller)).toEqual({
      model: 'alias',
      quota: prices.alias,
      channel,
      priced: undefined,
    });
  });

  it('refuses where the name after mapping has no price', async () => {
    const caller = await gate.addCaller();
    await offer(0, 'nowhere');
    const refused = await chat(caller);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('nowhere')]);
  });

  it('is never the first choice without a price, and another one serves and is charged', async () => {
    const caller = await gate.addCaller();
    await offer(9, 'nowhere');
    const channel = await offer(0, 'cheap');
    await (await chat(caller)).text();
    expect(await lastRow(caller)).toEqual({ model: 'alias', quota: prices.cheap, channel, priced: 'cheap' });
  });

  it('is named in the explanation, and by the refusal of a key that selects it', async () => {
    const admin = await gate.addCaller({ role: 10 });
    const unpriced = await offer(9, 'nowhere');
    const served = await offer(0, 'cheap');
    const explained = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${admin.key}`,
        'content-type': 'application/json',
        [product.headers.explain]: '1',
      },
      body: JSON.stringify({ model: 'alias', messages }),
    });
    await explained.text();
    expect(explained.headers.get(product.headers.explain)).toBe(
      `served=${served}; in=${served}:1; out=${unpriced}:unpriced`,
    );
    const selected = await chat({ ...admin, key: `${admin.key}-${unpriced}` });
    expect([selected.status, await selected.text()]).toEqual([400, expect.stringContaining('nowhere')]);
  });
});

describe('a call that goes on to a channel with another price', () => {
  it.each([
    [undefined, 'dear'],
    ['dear', undefined],
    ['cheap', 'dear'],
    ['dear', 'cheap'],
  ])('from %s to %s costs what the channel that answers has', async (before, after) => {
    const caller = await gate.addCaller({ balance: prices.dear });
    await offer(9, before);
    const channel = await offer(5, after);
    gate.upstream.next('refuse-500');
    await (await chat(caller)).text();
    const quota = prices[(after ?? 'alias') as keyof typeof prices];
    expect(await lastRow(caller)).toEqual({ model: 'alias', quota, channel, priced: after });
    expect(await gate.readBalance(caller)).toEqual({ balance: prices.dear - quota, held: 0 });
  });

  it('ends where the balance does not cover it, before that channel is asked', async () => {
    const caller = await gate.addCaller({ balance: prices.dear - 1 });
    const before = gate.upstream.requests.length;
    await offer(9);
    await offer(5, 'dear');
    gate.upstream.next('refuse-500');
    expect((await chat(caller)).status).toBe(403);
    expect(gate.upstream.requests).toHaveLength(before + 1);
    expect(await gate.readBalance(caller)).toEqual({ balance: prices.dear - 1, held: 0 });
  });

  it('passes over a channel without a price, and tells of the failure before it', async () => {
    const caller = await gate.addCaller();
    await offer(9);
    await offer(7, 'nowhere');
    const last = await offer(5, 'cheap');
    gate.upstream.next('refuse-500');
    await (await chat(caller)).text();
    expect(await lastRow(caller)).toMatchObject({ channel: last, quota: prices.cheap });
    gate.upstream.script('refuse-500');
    expect((await chat(caller)).status).toBe(500);
    gate.upstream.script('healthy');
  });
});

describe('a call by tokens that goes on to a dearer channel', () => {
  // A token costs 100 units there and a tenth of a unit here: the hold for the first channel covers almost nothing.
  beforeAll(async () => {
    await gate.core.settings.set('ModelPrice', '{}');
    await gate.core.settings.set('ModelRatio', JSON.stringify({ alias: 0.1, 'by-token': 100 }));
  });
  afterAll(setPrices);

  it.each([
    ['a stream', { stream: true }, 4_000],
    ['a stream', { stream: true }, 20_000],
    ['a stream', { stream: true }, 5_000_000],
    ['a whole answer', { max_tokens: 40 }, 4_000],
    ['a whole answer', { max_tokens: 40 }, 5_000_000],
  ])('as %s %j delivers nothing beyond a balance of %d', async (_, more, balance) => {
    const caller = await gate.addCaller({ balance });
    await offer(9);
    const channel = await offer(5, 'by-token');
    gate.upstream.next('refuse-500');
    const answer = await call(caller, '/v1/chat/completions', { model: 'alias', messages, ...more });
    const text = await answer.text();
    expect(answer.status).toBe(200);
    const row = await lastRow(caller);
    expect(row).toMatchObject({ channel, priced: 'by-token' });
    const words = [...text.matchAll(/word\d+/g)].length;
    expect(row.quota).toBeGreaterThanOrEqual(words * 100);
    const { balance: left } = await gate.readBalance(caller);
    expect([left >= 0, left]).toEqual([true, balance - row.quota]);
  });
});

describe('a list of models', () => {
  it.each<[string, Record<string, string>]>([
    ['/v1/models', {}],
    ['/v1/models', { 'anthropic-version': '2023-06-01' }],
    ['/v1beta/models', {}],
  ])('at %s has the names of callers, of models that have a price', async (path, headers) => {
    const caller = await gate.addCaller();
    await offer(0, 'dear', { models: 'alias,of-no-price,mapped', model_mapping: '{"mapped":"dear"}' });
    const listed = async () => {
      const answer = await fetch(`${gate.url}${path}`, {
        headers: { authorization: `Bearer ${caller.key}`, 'x-api-key': caller.key, ...headers },
      });
      return [...(await answer.text()).matchAll(/"(?:alias|mapped|of-no-price|dear|models\/[a-z-]+)"/g)].map(
        ([name]) => name.replaceAll(/"|models\//g, ''),
      );
    };
    expect(new Set(await listed())).toEqual(new Set(['alias', 'mapped']));
    await gate.core.settings.set('SelfUseModeEnabled', 'true');
    expect(new Set(await listed())).toEqual(new Set(['alias', 'mapped', 'of-no-price']));
    await gate.core.settings.set('SelfUseModeEnabled', 'false');
  });
});

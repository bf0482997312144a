import { product } from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import * as faults from '../../testing/upstream/fake-upstream-faults.ts';
import { healthy } from '../../testing/upstream/fake-upstream-scripts.ts';

// Option ModelFallbacks: if a model has no channel left, another model serves the call at its own price.

let gate: GatewayHarness;
let added: number[] = [];
/** Quota units of a call by name. */
const prices = { asked: 10, second: 400, third: 7 };

beforeAll(async () => {
  gate = await openGateway();
  const dollars = Object.entries(prices).map(([name, units]) => [name, units / 500_000]);
  await gate.core.settings.set('ModelPrice', JSON.stringify(Object.fromEntries(dollars)));
  await gate.core.settings.set('ModelFallbacks', '{"asked": ["second", "third"]}');
  await gate.core.settings.set('RetryTimes', '1');
});
afterEach(async () => {
  gate.upstream.script(healthy());
  await gate.checkAtRest();
  await gate.core.channels.remove(added);
  added = [];
});
afterAll(() => gate.close());

const offer = async (models: string, more: object = {}) =>
  added.push(await gate.addChannel({ models, ...more }));

const messages = [{ role: 'user', content: 'hi' }];
interface Wallet {
  /** Quota units. */
  balance?: number;
  /** Models that the key may call. */
  models?: string[];
}

async function call(
  { balance = 1_000, models }: Wallet = {},
  path = '/v1/chat/completions',
  body: object = { messages },
) {
  const caller = await gate.addCaller({ balance });
  const limits = {
    model_limits_enabled: Number(models !== undefined),
    model_limits: models?.join(',') ?? '',
  };
  await gate.core.store.db.updateTable('tokens').set(limits).where('id', '=', caller.tokenId).execute();
  const asked = gate.upstream.requests.length;
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'asked', ...body }),
  });
  const said = await answer.text();
  await gate.core.ledger.flush();
  const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
  const row = rows[0];
  const { priced_model: priced } = JSON.parse(row?.other ?? '{}') as { priced_model?: string };
  return {
    status: answer.status,
    said,
    served: answer.headers.get(product.headers.model),
    sent: gate.upstream.requests.slice(asked).map((request) => request.json().model),
    row: row && { model: row.model_name, quota: row.quota, priced },
  };
}

describe('a model without a channel', () => {
  it.each<[string, object]>([
    ['/v1/chat/completions', { messages }],
    ['/v1/chat/completions', { messages, stream: true }],
    ['/v1/responses', { input: 'hi' }],
    ['/v1/messages', { max_tokens: 5, messages }],
    ['/v1/embeddings', { input: 'hi' }],
  ])(
    'is served at %s by the first that stands in, and answer, log and price name that',
    async (path, body) => {
      await offer('third');
      await offer('second', { model_mapping: '{"second": "at-the-vendor"}' });
      const { status, served, sent, row } = await call({}, path, body);
      // A vendor without Responses gets a second request, for a chat.
      expect({ status, served, sent: [...new Set(sent)], row }).toEqual({
        status: 200,
        served: 'second',
        sent: ['at-the-vendor'],
        row: { model: 'asked', quota: prices.second, priced: 'second' },
      });
    },
  );

  it('is served by none that its caller cannot pay', async () => {
    await offer('second');
    const { status, sent } = await call({ balance: prices.second - 1 });
    expect([status, sent]).toEqual([403, []]);
  });

  it('is served by none that the key may not use', async () => {
    await offer('second');
    await offer('third');
    const { served } = await call({ models: ['asked', 'third'] });
    expect(served).toBe('third');
    const { status } = await call({ models: ['asked'] });
    expect(status).toBe(404);
  });
});

describe('a model whose channels fail', () => {
  const down = (...models: string[]) =>
    gate.upstream.script((exchange) =>
      (models.includes(String(exchange.json().model)) ? faults.refuse(500, { message: 'down' }) : healthy())(
        exchange,
      ),
    );

  it('is served by those that stand in, one try each after its own', async () => {
    for (let count = 0; count < 4; count += 1) await offer('asked');
    await offer('second');
    await offer('third');
    down('asked', 'second');
    const { status, served, sent, row } = await call();
    expect([status, served, sent]).toEqual([200, 'third', ['asked', 'asked', 'second', 'third']]);
    expect(row).toEqual({ model: 'asked', quota: prices.third, priced: 'third' });
  });

  it('gets the error of a channel when all fail, and costs nothing', async () => {
    for (const model of ['asked', 'second', 'third']) await offer(model);
    down('asked', 'second', 'third');
    const { status, sent, row } = await call();
    expect([status, sent.length, row?.quota ?? 0]).toEqual([500, 3, 0]);
  });

  it('is served by itself while one of its own answers', async () => {
    await offer('asked');
    await offer('second', { priority: 100 });
    const { served, row } = await call();
    expect([served, row]).toEqual([null, { model: 'asked', quota: prices.asked, priced: undefined }]);
  });
});

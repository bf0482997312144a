import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

/** A Sunday, so that day, week and month begin at different times. */
let now = Date.UTC(2026, 10, 15, 12);
let gate: GatewayHarness;
let limited: TestCaller;
let unlimited: TestCaller;

const chat = (caller: TestCaller, model: string) =>
  new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 }).chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'hi' }],
  });

beforeAll(async () => {
  gate = await openGateway({}, {}, () => now);
  await gate.addChannel({ models: 'gpt-4o-mini,gpt-4o' });
  limited = await gate.addCaller({ balance: 1_000_000, allowance: 400_000 });
  unlimited = await gate.addCaller({ balance: 1_000_000 });
  const end = now;
  // One call a day: of last month, of this month, of this week, and two of today.
  for (const [daysAgo, model] of [
    [20, 'gpt-4o'],
    [10, 'gpt-4o'],
    [3, 'gpt-4o-mini'],
    [0, 'gpt-4o'],
    [0, 'gpt-4o-mini'],
  ] as const) {
    now = end - daysAgo * 86_400_000;
    await chat(limited, model);
  }
  now = end;
  await chat(unlimited, 'gpt-4o');
  await gate.core.ledger.flush();
});
afterAll(() => gate.close());

const read = async (caller: TestCaller, path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(gate.url + path, {
    headers: { authorization: `Bearer ${caller.key}`, ...headers },
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Record<string, unknown>,
  };
};
const bodyOf = async (caller: TestCaller, path: string): Promise<Record<string, unknown>> => {
  const { status, body } = await read(caller, path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

/** Charges of a caller in dollars, since a moment. */
async function chargedSince(caller: TestCaller, since = 0): Promise<number> {
  const rows = await gate.core.store.db
    .selectFrom('logs')
    .select(['quota'])
    .where('token_id', '=', caller.tokenId)
    .where('type', '=', 2)
    .where('created_at', '>=', since / 1_000)
    .execute();
  return rows.reduce((sum, { quota }) => sum + quota, 0) / 500_000;
}

const paths = [
  '/api/usage/token',
  '/api/usage/token/',
  '/api/v1/key',
  '/api/v1/auth/key',
  '/api/v1/credits',
  '/key/info',
  '/user/info',
  '/v1/organization/costs?start_time=0',
  '/v1/organization/usage/completions?start_time=0',
  '/v1/dashboard/billing/subscription',
  '/v1/dashboard/billing/usage',
  '/dashboard/billing/credit_grants',
];

describe('what a key may know of its money', () => {
  it('is the same to the cent in every format', async () => {
    const used = await chargedSince(limited);
    expect(used).toBeGreaterThan(0);
    expect(await bodyOf(limited, '/api/usage/token/')).toEqual({
      code: true,
      message: 'ok',
      data: {
        object: 'token_usage',
        name: 'test token',
        total_granted: 400_000,
        total_used: used * 500_000,
        total_available: 400_000 - used * 500_000,
        unlimited_quota: false,
        model_limits: {},
        model_limits_enabled: false,
        expires_at: 0,
      },
    });
    const left = 0.8 - used;
    const close = (value: number): unknown => expect.closeTo(value, 9);
    for (const path of ['/api/v1/key', '/api/v1/auth/key'])
      expect(await bodyOf(limited, path)).toMatchObject({
        data: {
          limit: close(0.8),
          limit_remaining: close(left),
          usage: close(used),
          usage_daily: close(await chargedSince(limited, Date.UTC(2026, 10, 15))),
          usage_weekly: close(await chargedSince(limited, Date.UTC(2026, 10, 9))),
          usage_monthly: close(await chargedSince(limited, Date.UTC(2026, 10, 1))),
          is_free_tier: false,
          expires_at: null,
        },
      });
    expect(await bodyOf(limited, '/api/v1/credits')).toEqual({
      data: { total_credits: close(0.8), total_usage: close(used) },
    });
    expect(await bodyOf(limited, '/dashboard/billing/credit_grants')).toMatchObject({
      total_granted: close(0.8),
      total_used: close(used),
      total_available: close(left),
    });
    const info = { spend: close(used), max_budget: close(0.8), key_alias: 'test token', expires: null };
    expect(await bodyOf(limited, '/key/info')).toMatchObject({ info });
    expect(await bodyOf(limited, `/key/info?key=${limited.key}`)).toMatchObject({ info });
    expect(await bodyOf(limited, '/user/info')).toMatchObject({
      user_info: { spend: close(used) },
      keys: [info],
    });
  });

  it('has days without gaps, page after page, which add up to all charges', async () => {
    const start = Date.UTC(2026, 9, 20) / 1_000;
    const openai = new OpenAI({ apiKey: limited.key, baseURL: `${gate.url}/v1`, adminAPIKey: limited.key });
    let sum = 0;
    let calls = 0;
    const days: number[] = [];
    let page: string | undefined;
    do {
      const query = `start_time=${start}&limit=9&group_by[]=line_item${page === undefined ? '' : `&page=${page}`}`;
      const answer = (await openai.get(`/organization/costs?${query}`)) as {
        data: { start_time: number; results: { amount: { value: number }; line_item: string }[] }[];
        next_page: string | null;
      };
      for (const bucket of answer.data) {
        days.push(bucket.start_time);
        for (const { amount, line_item: model } of bucket.results) {
          sum += amount.value;
          calls += 1;
          expect(model).toMatch(/^gpt-4o/);
        }
      }
      page = answer.next_page ?? undefined;
    } while (page !== undefined);
    expect(days).toEqual(Array.from({ length: 27 }, (_, at) => start + at * 86_400));
    expect(sum).toBeCloseTo(await chargedSince(limited), 9);
    expect(calls).toBe(5);
    const usage = await bodyOf(limited, `/v1/organization/usage/completions?start_time=${start}&limit=31`);
    const results = (usage['data'] as { results: { num_model_requests: number; model: null }[] }[]).flatMap(
      (bucket) => bucket.results,
    );
    expect(results.map((each) => each.num_model_requests)).toEqual([1, 1, 1, 2]);
    const hours = await bodyOf(
      limited,
      `/v1/organization/usage/completions?start_time=${now / 1_000 - 7_200}&bucket_width=1h&models=gpt-4o`,
    );
    expect((hours['data'] as { results: object[] }[]).map(({ results: each }) => each.length)).toEqual([
      0, 0, 1,
    ]);
  });

  it('is that of the wallet for a key without a limit, and never that of another key', async () => {
    expect(await bodyOf(unlimited, '/api/v1/key')).toMatchObject({
      data: { limit: null, limit_remaining: null },
    });
    expect(await bodyOf(unlimited, '/key/info')).toMatchObject({ info: { max_budget: null } });
    expect(await bodyOf(unlimited, '/api/v1/credits')).toMatchObject({
      data: { total_credits: expect.closeTo(2, 9) as number },
    });
    expect((await read(unlimited, `/key/info?key=${limited.key}`)).status).toBe(401);
    const costs = await bodyOf(unlimited, '/v1/organization/costs?start_time=1793491200&limit=31');
    const value = (costs['data'] as { results: { amount: { value: number } }[] }[]).flatMap(
      ({ results }) => results,
    );
    expect(value.map(({ amount }) => amount.value)).toEqual([await chargedSince(unlimited)]);
  });

  it.each(paths)('%s may be read from any page, and not without a key', async (path) => {
    const preflight = await fetch(gate.url + path, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'GET' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const { headers, status } = await read(limited, path);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const refused = await read({ ...limited, key: 'sk-nothing' }, path);
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({ error: { code: 'invalid_api_key' } });
  });

  it('can still be read with a key that is used up or expired, and not with one that is disabled', async () => {
    const caller = await gate.addCaller({ balance: 1_000_000, allowance: 0 });
    const change = (columns: { status: number; expired_time?: number }) =>
      gate.core.store.db.updateTable('tokens').set(columns).where('id', '=', caller.tokenId).execute();
    const statuses = async () => Promise.all(paths.map(async (path) => (await read(caller, path)).status));
    const all = (status: number) => paths.map(() => status);
    expect(await statuses()).toEqual(all(200));
    await expect(chat(caller, 'gpt-4o')).rejects.toMatchObject({ status: 401 });
    for (const status of [3, 4]) {
      await change({ status, expired_time: 1 });
      expect(await statuses()).toEqual(all(200));
    }
    await change({ status: 2 });
    gate.core.keys.forgetToken(caller.tokenId);
    expect(await statuses()).toEqual(all(401));
  });

  it('needs a beginning where usage is read by time', async () => {
    const { status, body } = await read(limited, '/v1/organization/costs');
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { message: expect.stringContaining('field start_time is required') as string },
    });
  });
});

describe('the limit of calls by address', () => {
  it('counts these reads, and says when to come again', async () => {
    const small = await openGateway({ GLOBAL_API_RATE_LIMIT: '3' });
    try {
      const caller = await small.addCaller();
      const ask = () =>
        fetch(`${small.url}/api/v1/key`, { headers: { authorization: `Bearer ${caller.key}` } });
      const statuses = [await ask(), await ask(), await ask()].map(({ status }) => status);
      expect(statuses).toEqual([200, 200, 200]);
      const refused = await ask();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '180']);
      expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    } finally {
      await small.close();
    }
  });
});

import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BudgetRow, budgets } from '../../store/index.ts';
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
  // One call a day: last month, this month, this week, and two today.
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
const readBody = async (caller: TestCaller, path: string): Promise<Record<string, unknown>> => {
  const { status, body } = await read(caller, path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

/** Charges of a caller in dollars since a moment. */
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
  '/user/daily/activity?start_date=2026-10-20&end_date=2026-11-15',
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
    expect(await readBody(limited, '/api/usage/token/')).toEqual({
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
        budgets: [],
      },
    });
    const left = 0.8 - used;
    const close = (value: number): unknown => expect.closeTo(value, 9);
    for (const path of ['/api/v1/key', '/api/v1/auth/key'])
      expect(await readBody(limited, path)).toMatchObject({
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
    expect(await readBody(limited, '/api/v1/credits')).toEqual({
      data: { total_credits: close(0.8), total_usage: close(used) },
    });
    expect(await readBody(limited, '/dashboard/billing/credit_grants')).toMatchObject({
      total_granted: close(0.8),
      total_used: close(used),
      total_available: close(left),
    });
    const info = { spend: close(used), max_budget: close(0.8), key_alias: 'test token', expires: null };
    expect(await readBody(limited, '/key/info')).toMatchObject({ info });
    expect(await readBody(limited, `/key/info?key=${limited.key}`)).toMatchObject({ info });
    expect(await readBody(limited, '/user/info')).toMatchObject({
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
    const usage = await readBody(limited, `/v1/organization/usage/completions?start_time=${start}&limit=31`);
    const results = (usage['data'] as { results: { num_model_requests: number; model: null }[] }[]).flatMap(
      (bucket) => bucket.results,
    );
    expect(results.map((each) => each.num_model_requests)).toEqual([1, 1, 1, 2]);
    const hours = await readBody(
      limited,
      `/v1/organization/usage/completions?start_time=${now / 1_000 - 7_200}&bucket_width=1h&models=gpt-4o`,
    );
    expect((hours['data'] as { results: object[] }[]).map(({ results: each }) => each.length)).toEqual([
      0, 0, 1,
    ]);
  });

  it('is that of the wallet for a key without a limit, and never that of another key', async () => {
    expect(await readBody(unlimited, '/api/v1/key')).toMatchObject({
      data: { limit: null, limit_remaining: null },
    });
    expect(await readBody(unlimited, '/key/info')).toMatchObject({ info: { max_budget: null } });
    expect(await readBody(unlimited, '/api/v1/credits')).toMatchObject({
      data: { total_credits: expect.closeTo(2, 9) as number },
    });
    expect((await read(unlimited, `/key/info?key=${limited.key}`)).status).toBe(401);
    const costs = await readBody(unlimited, '/v1/organization/costs?start_time=1793491200&limit=31');
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

/** The fields in each vendor's documentation. The fields of the gateway itself are listed separately. */
const documented = {
  openrouter:
    'byok_usage byok_usage_daily byok_usage_monthly byok_usage_weekly creator_user_id expires_at include_byok_in_limit ' +
    'is_free_tier is_management_key is_provisioning_key label limit limit_remaining limit_reset rate_limit usage ' +
    'usage_daily usage_monthly usage_weekly',
  openrouterBudget:
    'budget_id guardrail_id include_byok limit_usd remaining_usd reset_interval resets_at scope spend_usd',
  litellmMetrics:
    'api_requests cache_creation_input_tokens cache_read_input_tokens completion_tokens failed_requests prompt_tokens ' +
    'spend successful_requests total_tokens',
};
const fieldsOf = (vendor: keyof typeof documented): string[] => documented[vendor].split(' ');
const namesOf = (value: unknown): string[] => Object.keys(value as object).toSorted();

const blankBudget = {
  token_id: 0,
  user_id: 0,
  team_id: 0,
  group: '',
  model: '',
  set_by: 'site',
  time_zone: 'UTC',
  mode: 'hard',
  enabled: 1,
  created_time: 0,
};

describe('the budgets of a key', () => {
  const end = Date.UTC(2026, 10, 16) / 1_000;
  let key: TestCaller;

  const setBudget = (name: string, about: Partial<BudgetRow>, amount: number, period = 'day') =>
    budgets.create(gate.core.store.db, {
      ...blankBudget,
      name,
      amount,
      period,
      window_start: end - 86_400,
      window_end: end,
      ...about,
    });

  beforeAll(async () => {
    key = await gate.addCaller({ balance: 1_000_000 });
    await setBudget('mine', { token_id: key.tokenId }, 100_000);
    await setBudget('of a model', { user_id: key.userId, model: 'gpt-4o' }, 250_000, 'week');
    await setBudget('over', { token_id: key.tokenId, window_end: end - 86_400 }, 500_000, 'term');
    await setBudget('another key', { token_id: key.tokenId + 1_000 }, 1);
    await setBudget('another person', { user_id: key.userId + 1_000 }, 1);
    await setBudget('the whole site', {}, 900_000_000);
    await setBudget('the group', { group: 'default' }, 900_000_000);
    await setBudget('rate', { token_id: key.tokenId, unit: 'tokens' }, 60_000, 'minute');
    await setBudget('of the person', { user_id: key.userId, unit: 'tokens' }, 90_000, 'minute');
    await setBudget('tokens of a day', { user_id: key.userId, unit: 'tokens' }, 50_000);
    await gate.core.budgetRules.reload();
    await chat(key, 'gpt-4o');
    await gate.core.ledger.flush();
  });

  it('are read by it alone, and those of all people never', async () => {
    const used = await chargedSince(key);
    expect(used).toBeGreaterThan(0);
    const { data } = (await readBody(key, '/api/usage/token')) as { data: { budgets: unknown } };
    const amounts = { used: used * 500_000, resets_at: end };
    expect(data.budgets).toEqual([
      {
        name: 'mine',
        scope: 'key',
        model: '',
        period: 'day',
        amount: 100_000,
        ...amounts,
        available: 100_000 - used * 500_000,
      },
      {
        name: 'of a model',
        scope: 'user',
        model: 'gpt-4o',
        period: 'week',
        amount: 250_000,
        ...amounts,
        available: 250_000 - used * 500_000,
      },
    ]);
    const router = (await readBody(key, '/api/v1/key')) as { data: { budgets: object[] } };
    expect(router.data.budgets).toMatchObject([
      {
        scope: 'api_key',
        limit_usd: 0.2,
        reset_interval: 'daily',
        resets_at: '2026-11-16T00:00:00.000Z',
        spend_usd: expect.closeTo(used, 9) as number,
        remaining_usd: expect.closeTo(0.2 - used, 9) as number,
      },
      { scope: 'member', limit_usd: 0.5, reset_interval: 'weekly' },
    ]);
    expect(await readBody(key, '/key/info')).toMatchObject({
      info: {
        max_budget: 0.2,
        tpm_limit: 60_000,
        spend: expect.closeTo(used, 9) as number,
        budget_duration: '1d',
        budget_reset_at: '2026-11-16T00:00:00.000Z',
        model_max_budget: { 'gpt-4o': { budget_limit: 0.5, time_period: '7d' } },
      },
    });
  });

  it('begin anew when their window is over, also before the next call', async () => {
    const before = now;
    now = (end + 3_600) * 1_000;
    try {
      const { data } = (await readBody(key, '/api/usage/token')) as { data: { budgets: object[] } };
      expect(data.budgets[0]).toMatchObject({
        name: 'mine',
        used: 0,
        available: 100_000,
        resets_at: end + 86_400,
      });
    } finally {
      now = before;
    }
  });
});

describe('the shapes of figures', () => {
  it('are those that OpenRouter and LiteLLM document', async () => {
    const { data } = (await readBody(limited, '/api/v1/key')) as { data: Record<string, unknown> };
    expect(namesOf(data)).toEqual([...fieldsOf('openrouter'), 'budgets'].toSorted());
    const key = await gate.addCaller({ balance: 1_000_000 });
    await budgets.create(gate.core.store.db, {
      ...blankBudget,
      name: 'one',
      token_id: key.tokenId,
      amount: 5,
      period: 'term',
      window_start: 0,
      window_end: now / 1_000 + 60,
    });
    const own = (await readBody(key, '/api/v1/key')) as { data: { budgets: object[] } };
    expect(namesOf(own.data.budgets[0])).toEqual(fieldsOf('openrouterBudget'));
    expect(own.data.budgets[0]).toMatchObject({ reset_interval: null, resets_at: null });
    const activity = (await readBody(
      limited,
      '/user/daily/activity?start_date=2026-10-20&end_date=2026-11-15',
    )) as {
      results: {
        date: string;
        metrics: object;
        breakdown: { models: Record<string, { metrics: object }> };
      }[];
      metadata: Record<string, unknown>;
    };
    expect(namesOf(activity.metadata)).toEqual(
      [
        ...fieldsOf('litellmMetrics').map((name) => `total_${name}`),
        'page',
        'total_pages',
        'has_more',
      ].toSorted(),
    );
    for (const { metrics, breakdown } of activity.results) {
      expect(namesOf(metrics)).toEqual(fieldsOf('litellmMetrics'));
      expect(namesOf(breakdown)).toEqual(
        ['api_keys', 'entities', 'mcp_servers', 'model_groups', 'models', 'providers'].toSorted(),
      );
      for (const one of Object.values(breakdown.models))
        expect(namesOf(one.metrics)).toEqual(fieldsOf('litellmMetrics'));
    }
    expect(activity.results.map(({ date }) => date)).toEqual([
      '2026-11-15',
      '2026-11-12',
      '2026-11-05',
      '2026-10-26',
    ]);
    expect(activity.metadata['total_spend']).toBeCloseTo(await chargedSince(limited), 9);
  });

  it('of usage by day come page by page, and every charge is on one page', async () => {
    let sum = 0;
    for (let page = 1; ; page += 1) {
      const { metadata } = (await readBody(
        limited,
        `/user/daily/activity?start_date=2026-10-20&end_date=2026-12-31&page_size=5&page=${page}`,
      )) as { metadata: { total_spend: number; total_pages: number; has_more: boolean } };
      sum += metadata.total_spend;
      expect(metadata.total_pages).toBe(6);
      if (!metadata.has_more) break;
    }
    expect(sum).toBeCloseTo(await chargedSince(limited), 9);
    const refused = await read(limited, '/user/daily/activity?start_date=2026-10-20&end_date=yesterday');
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        error: expect.objectContaining({ message: expect.stringContaining('end_date') as string }) as object,
      },
    ]);
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

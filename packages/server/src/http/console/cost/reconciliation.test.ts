import {
  auditApi,
  channelInput,
  type ComparedReport,
  type FetchedSource,
  logType,
  reconciliationApi,
  role,
  type Route,
  type UsageFetch,
  type UsageReport,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReconciliation } from '../../../boot/upkeep.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';
import { type FakeUsageVendors, openUsageVendors } from '../../../testing/upstream/usage-vendors.ts';

const day = 86_400;
/** Start of this day: the time of the test's clock. */
const today = Date.UTC(2026, 10, 21) / 1_000;
const first = today - 2 * day;

let vendors: FakeUsageVendors;
let house: House;
let root: Agent;
let channel: number;

beforeEach(async () => {
  vendors = await openUsageVendors();
  house = await openHouse({
    env: {
      OPENAI_USAGE_URL: vendors.url,
      ANTHROPIC_USAGE_URL: `${vendors.url}/`,
      OPENROUTER_USAGE_URL: vendors.url,
    },
    routes: openReconciliation,
  });
  root = await house.person('root', { role: role.root });
  const fields = { type: 1, name: 'main', key: 'sk-x', models: 'gpt-4o' };
  channel = (await house.core.channels.create(channelInput.parse(fields)))[0]!.id;
});
afterEach(async () => {
  await house.close();
  await vendors.close();
});

const saveKey = (key = 'sk-admin-secret') => root.must(reconciliationApi.saveKey, { channel, key });
const state = (id: string) => root.must(reconciliationApi.progress, { fetch: id }) as Promise<UsageFetch>;
const ended = async (id: string): Promise<UsageFetch> => {
  await expect.poll(async () => (await state(id)).state).not.toBe('running');
  return state(id);
};
const started = async (source: FetchedSource, days = 3) =>
  ((await root.must(reconciliationApi.fetch, { source, channels: [channel], days })) as { id: string }).id;
const fetched = async (source: FetchedSource, days = 3) => ended(await started(source, days));
const compared = (id: number, tolerance = 0) =>
  root.must(reconciliationApi.compare, { report: id, tolerance }) as Promise<ComparedReport>;
const kept = () => root.must(reconciliationApi.list, {}) as Promise<UsageReport[]>;

/** A call in our log. */
const called = (fields: object) =>
  house.core.logs.write({
    type: logType.consume,
    user_id: root.userId,
    username: 'root',
    content: '',
    token_id: 5,
    channel_id: channel,
    model_name: 'gpt-4o',
    created_at: first + 60,
    ...fields,
  });

const openaiBucket = (start: number, ...results: object[]) => ({
  object: 'bucket',
  start_time: start,
  end_time: start + day,
  results,
});
const completions = (model: string, input: number, cached: number, output: number, calls: number) => ({
  object: 'organization.usage.completions.result',
  input_tokens: input,
  output_tokens: output,
  input_cached_tokens: cached,
  input_audio_tokens: 0,
  output_audio_tokens: 0,
  num_model_requests: calls,
  project_id: null,
  user_id: null,
  api_key_id: null,
  model,
  batch: null,
});
const openaiCost = (line_item: string | null, value: unknown) => ({
  object: 'organization.costs.result',
  amount: { value, currency: 'usd' },
  line_item,
  project_id: null,
});
const page = (data: object[], next: string | null = null) => ({
  body: { object: 'page', data, has_more: next !== null, next_page: next },
});

describe('the usage of OpenAI', () => {
  it('is read page by page, and compared with the books by day and upstream model', async () => {
    await saveKey();
    vendors.answer(
      '/v1/organization/usage/completions',
      page([openaiBucket(first, completions('gpt-4o-2024-08-06', 1_000, 800, 500, 5))], 'AAAAAGdGxdE='),
      page([openaiBucket(first + day, completions('gpt-4o-mini', 70, 0, 7, 1))]),
    );
    vendors.answer(
      '/v1/organization/costs',
      page([
        openaiBucket(
          first,
          openaiCost('gpt-4o-2024-08-06, input', 0.002),
          openaiCost('gpt-4o-2024-08-06, output', '0.005000000000000000000000000000000000'),
          openaiCost(null, 1e-7),
          openaiCost(null, '0E-6176'),
        ),
      ]),
    );
    const mapped = JSON.stringify({ upstream_model_name: 'gpt-4o', cache_tokens: 800 });
    await called({
      model_name: 'fast',
      other: mapped,
      prompt_tokens: 900,
      completion_tokens: 500,
      cost: 3_000,
    });
    await called({ prompt_tokens: 100, cost: 500 });

    const { report, pages } = await fetched('openai');
    expect(pages).toBe(8);
    const { rows, ours, theirs, differences } = await compared(report);
    expect(rows).toMatchObject([
      {
        day: first + day,
        model: 'gpt-4o-mini',
        state: 'only_theirs',
        ours: null,
        theirs: { input: 70, cost: null },
      },
      { day: first, model: '', state: 'equal', ours: null, theirs: { calls: null, cost: 0 } },
      {
        day: first,
        model: 'gpt-4o',
        names: ['gpt-4o', 'gpt-4o-2024-08-06'],
        state: 'differs',
        ours: { calls: 2, input: 1_000, cached: 800, output: 500, cost: 3_500, unknown_calls: 0 },
        theirs: { calls: 5, input: 1_000, cached: 800, output: 500, cost: 3_500 },
        parts: [
          { channel, channel_name: 'main', model: 'fast', calls: 1, input: 900 },
          { channel, channel_name: 'main', model: 'gpt-4o', calls: 1, input: 100 },
        ],
      },
    ]);
    expect(rows.every(({ incomplete }) => !incomplete)).toBe(true);
    expect({ ours: ours.input, theirs: theirs.input, differences }).toEqual({
      ours: 1_000,
      theirs: 1_070,
      differences: 2,
    });

    const questions = vendors.asked.filter(({ path }) => path === '/v1/organization/usage/completions');
    expect(questions.map(({ query }) => query)).toEqual([
      {
        start_time: String(first),
        end_time: String(today + day),
        bucket_width: '1d',
        group_by: 'model',
        limit: '31',
      },
      expect.objectContaining({ page: 'AAAAAGdGxdE=' }),
    ]);
    expect(vendors.asked.every(({ headers }) => headers.authorization === 'Bearer sk-admin-secret')).toBe(
      true,
    );
  });

  it('of days outside the report is left out', async () => {
    await saveKey();
    const used = completions('gpt-4o', 5, 0, 1, 1);
    const outside = [openaiBucket(first - day, used), openaiBucket(today + day, used)];
    vendors.answer(
      '/v1/organization/usage/completions',
      page([...outside, openaiBucket(first, used)], 'AAAA'),
      page([]),
    );
    const { report } = await fetched('openai');
    const { rows } = await compared(report);
    expect(rows.map((row) => row.day)).toEqual([first]);
  });

  it('of a day that is not over is marked as partial', async () => {
    await saveKey();
    vendors.answer(
      '/v1/organization/usage/images',
      page([openaiBucket(today, { num_model_requests: 2, model: 'd' })]),
    );
    const { rows } = await compared((await fetched('openai')).report);
    expect(rows).toMatchObject([{ incomplete: true, theirs: { calls: 2, input: null, output: null } }]);
  });
});

describe('the usage of Anthropic', () => {
  it('counts cache reads and writes as input, and has its cost in cents', async () => {
    await saveKey('sk-ant-admin01-x');
    const bucket = (results: object[]) => ({
      starting_at: '2026-11-19T00:00:00Z',
      ending_at: '2026-11-20T00:00:00Z',
      results,
    });
    const tokens = {
      uncached_input_tokens: 1_500,
      cache_creation: { ephemeral_1h_input_tokens: 1_000, ephemeral_5m_input_tokens: 500 },
      cache_read_input_tokens: 200,
      output_tokens: 500,
      server_tool_use: { web_search_requests: 10 },
      api_key_id: null,
      workspace_id: null,
      model: 'claude-sonnet-4-20250514',
      service_tier: null,
      context_window: null,
    };
    const cost = (amount: string, model: string | null, description: string) => ({
      currency: 'USD',
      amount,
      workspace_id: null,
      description,
      cost_type: model === null ? 'web_search' : 'tokens',
      context_window: null,
      model,
      service_tier: 'standard',
      token_type: 'uncached_input_tokens',
    });
    const usage = '/v1/organizations/usage_report/messages';
    vendors.answer(
      usage,
      { body: { data: [bucket([tokens])], has_more: true, next_page: 'page_MjAy' } },
      {
        body: { data: [bucket([{ ...tokens, output_tokens: 1 }])], has_more: false, next_page: null },
      },
    );
    vendors.answer('/v1/organizations/cost_report', {
      body: {
        data: [
          bucket([
            cost('123.45', 'claude-sonnet-4-20250514', 'Claude Sonnet 4 Usage - Input Tokens'),
            cost('10', null, 'Web Search Usage'),
          ]),
        ],
        has_more: false,
        next_page: null,
      },
    });
    await called({
      model_name: 'claude-sonnet-4-20250514',
      prompt_tokens: 6_400,
      completion_tokens: 501,
      cost: 617_250,
      other: '{"cache_tokens":400}',
    });
    const { rows } = await compared((await fetched('anthropic')).report);
    expect(rows).toMatchObject([
      {
        model: 'claude-sonnet-4-20250514',
        state: 'equal',
        theirs: { calls: null, input: 6_400, cached: 400, output: 501, cost: 617_250 },
      },
      { model: 'web search usage', state: 'only_theirs', theirs: { input: null, cost: 50_000 } },
    ]);
    expect(vendors.asked[1]).toMatchObject({
      path: usage,
      query: {
        starting_at: '2026-11-19T00:00:00Z',
        ending_at: '2026-11-22T00:00:00Z',
        bucket_width: '1d',
        'group_by[]': 'model',
        limit: '31',
        page: 'page_MjAy',
      },
      headers: { 'x-api-key': 'sk-ant-admin01-x', 'anthropic-version': '2023-06-01' },
    });
  });
});

describe('the activity of OpenRouter', () => {
  it('is of days that are over, a row for each endpoint', async () => {
    await saveKey();
    const row = (date: string, prompt: number) => ({
      date,
      model: 'openai/gpt-4.1',
      model_permaslug: 'openai/gpt-4.1-2025-04-14',
      endpoint_id: '550e8400-e29b-41d4-a716-446655440000',
      provider_name: 'OpenAI',
      usage: 0.015,
      byok_usage_inference: 0.012,
      requests: 5,
      prompt_tokens: prompt,
      completion_tokens: 125,
      reasoning_tokens: 25,
    });
    vendors.answer('/api/v1/activity', {
      body: { data: [row('2026-11-19', 50), row('2026-11-19', 1), row('2026-11-01', 9)] },
    });
    const { report } = await fetched('openrouter');
    const { rows, report: about } = await compared(report);
    expect(rows).toMatchObject([
      { day: first, theirs: { calls: 10, input: 51, cached: null, output: 250, cost: 15_000 } },
    ]);
    expect(about).toMatchObject({ start_time: first, end_time: today, lines: 1, source: 'openrouter' });
  });
});

describe('a vendor that refuses or breaks', () => {
  const path = '/v1/organization/usage/completions';
  const refusal = {
    error: { message: 'Incorrect API key provided: sk-ad***.', type: 'invalid_request_error' },
  };
  it.each([
    [
      'a key that does not count',
      { status: 401, body: refusal },
      'unauthorized',
      /401: Incorrect API key/,
      0,
    ],
    [
      'too many questions',
      { status: 429, headers: { 'retry-after': '20' }, body: refusal },
      'rate_limited',
      /429/,
      20,
    ],
    ['an error of its own', { status: 503, body: '<html>busy</html>' }, 'refused', /503: <html>busy/, 0],
    ['no JSON', { body: '{"data": [' }, 'malformed', /no JSON/, 0],
    [
      'more without a page',
      { body: { data: [], has_more: true, next_page: null } },
      'malformed',
      /no next page/,
      0,
    ],
    [
      'the same page for ever',
      { body: { data: [], has_more: true, next_page: 'x' } },
      'malformed',
      /again/,
      0,
    ],
    ['a bucket without a day', { body: { data: [{ results: [] }] } }, 'malformed', /no start/, 0],
    [
      'a count below nothing',
      page([openaiBucket(first, { model: 'x', input_tokens: -1 })]),
      'malformed',
      /count/,
      0,
    ],
  ])(
    'is reported with the reason, and nothing is stored: %s',
    async (_name, answer, fault, detail, retry_after) => {
      await saveKey();
      // The pages before the fault are valid.
      vendors.answer(path, page([openaiBucket(first, completions('gpt-4o', 1, 0, 1, 1))], 'next'), answer);
      const found = await fetched('openai');
      expect(found).toMatchObject({ state: 'failed', fault, retry_after, report: 0 });
      expect(found.detail).toMatch(detail);
      expect(found.detail).not.toContain('sk-admin-secret');
      expect(await kept()).toEqual([]);
    },
  );

  it('is stopped, and nothing is stored', async () => {
    await saveKey();
    const release = vendors.hold(path);
    const id = await started('openai');
    await expect.poll(() => vendors.asked.length).toBe(1);
    const second = { source: 'openai' as const, channels: [channel] };
    expect((await root.call(reconciliationApi.fetch, second)).body.code).toBe('report_running');
    await root.must(reconciliationApi.stop, { fetch: id });
    release();
    expect((await root.call(reconciliationApi.progress, { fetch: id })).body.code).toBe('row_not_found');
    // Another report can be fetched at once. Only this one is stored.
    const { report } = await fetched('openai');
    expect((await kept()).map((each) => each.id)).toEqual([report]);
  });
});

describe('reports and keys', () => {
  it.each(Object.entries(reconciliationApi as Record<string, Route>))(
    '%s is for root',
    async (name, route) => {
      const admin = await house.person(`a-${name}`, { role: role.admin });
      const sample = { report: 1, fetch: 'x', channel, key: '', text: 'a' };
      expect((await admin.call(route, sample)).body.code).toBe('insufficient_role');
      expect((await house.guest.call(route, sample)).status).toBe(401);
    },
  );

  it('show whether a key is stored, and never the key; nor does the audit', async () => {
    const listed = () => root.must(reconciliationApi.channels, {});
    expect(await listed()).toEqual([
      { id: channel, name: 'main', source: 'openai', has_key: false, mapping: null },
    ]);
    const question = { source: 'openai' as const, channels: [channel] };
    expect((await root.call(reconciliationApi.fetch, question)).body.code).toBe('report_key_missing');
    await saveKey();
    expect(await listed()).toMatchObject([{ has_key: true }]);
    expect(JSON.stringify(await listed())).not.toContain('secret');
    const stored = await house.core.store.db.selectFrom('channel_costs').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain('sk-admin-secret');
    const audit = JSON.stringify(await root.must(auditApi.list, {}));
    expect(audit).toContain('channel.report_key');
    expect(audit).not.toContain('sk-admin-secret');
    await saveKey('');
    expect(await listed()).toMatchObject([{ has_key: false }]);
  });

  it('cover 92 days at most, and none in the future', async () => {
    await saveKey();
    for (const span of [{ start: today - 92 * day }, { start: today + day, end: today + day }]) {
      const answer = await root.call(reconciliationApi.fetch, {
        source: 'openai',
        channels: [channel],
        ...span,
      });
      expect(answer.body.code).toBe('report_span');
    }
  });

  it('can be read from a file by its columns, which the channel remembers, and are gone when they are deleted', async () => {
    const text =
      'Day;Modell;In;Out;Cost\r\n19.11.2026;"gpt-4o";1,000;500;$0.0035\r\n20.11.2026;gpt-4o;;;0\r\n';
    const form = { delimiter: ';', header: true } as const;
    expect(await root.must(reconciliationApi.preview, { text, ...form })).toEqual({
      columns: ['Day', 'Modell', 'In', 'Out', 'Cost'],
      rows: [
        ['19.11.2026', 'gpt-4o', '1,000', '500', '$0.0035'],
        ['20.11.2026', 'gpt-4o', '', '', '0'],
      ],
      problem: '',
    });
    const mapping = {
      ...form,
      date_format: 'dmy',
      date: 'Day',
      model: 'Modell',
      input: 'In',
      output: 'Out',
      cost: 'Cost',
    } as const;
    const file = { channels: [channel], name: 'usage.csv', text, mapping };
    await called({ prompt_tokens: 1_000, completion_tokens: 500, cost: null });
    const { id } = (await root.must(reconciliationApi.upload, file)) as { id: number };
    const { rows, report } = await compared(id);
    expect(rows).toMatchObject([
      { day: first + day, state: 'equal', ours: null },
      {
        day: first,
        state: 'open',
        ours: { unknown_calls: 1 },
        theirs: { cost: 1_750, cached: null, calls: null },
      },
    ]);
    expect(report).toMatchObject({ name: 'usage.csv', source: 'csv', start_time: first, end_time: today });
    expect(await root.must(reconciliationApi.channels, {})).toMatchObject([{ mapping }]);

    const broken = { ...file, text: text.replace('500', 'many') };
    const answer = await root.call(reconciliationApi.upload, broken);
    expect(answer.body).toMatchObject({
      code: 'report_csv',
      message: expect.stringMatching(/2.*Out.*many/),
    });
    expect(await kept()).toHaveLength(1);

    await root.must(reconciliationApi.remove, { report: id });
    expect(await kept()).toEqual([]);
    expect((await root.call(reconciliationApi.compare, { report: id })).body.code).toBe('row_not_found');
  });
});

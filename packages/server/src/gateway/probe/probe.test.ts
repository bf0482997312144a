import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, channelInput, channelStatus, testOutcome } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testChannels } from '../../jobs/calls.ts';
import { createHttp, type Http } from '../../lib/outbound/http.ts';
import { createSealer } from '../../lib/seal.ts';
import { overrideHeaders } from '../../relay/header-override.ts';
import { applyModelMapping, bridge } from '../../relay/bridge.ts';
import { channelTypes, providerOf } from '../../relay/registry.ts';
import { type Channels, createChannels } from '../../services/calls/channels/index.ts';
import { channels as channelRows, migrate, openStore, type Store } from '../../store/index.ts';
import { buildPrice } from '../../testing/build-price.ts';
import { type FakeUpstream, startFakeUpstream } from '../../testing/upstream/fake-upstream.ts';
import * as faults from '../../testing/upstream/fake-upstream-faults.ts';
import { healthy } from '../../testing/upstream/fake-upstream-scripts.ts';
import { startToolServer } from '../../testing/upstream/tool-server.ts';
import { ToolServers } from '../upstream/index.ts';
import { createProbe, type Probe, type ProbeDeps, type TestRow, type TestRules } from './probe.ts';
import { createAudit } from '../../services/site/audit/index.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const tester = { userId: 1, username: 'root', group: 'default' };
const key = 'sk-0123456789abcdef0123456789abcdef';

const snapshot = buildPrice({ modelRatio: 2, completionRatio: 3 });

const relayOptions = {
  forceStreamUsage: true,
  passThroughBody: false,
  azureApiVersion: '',
  geminiMaxImages: -1,
  settings: {},
};

let store: Store;
let http: Http;
let upstream: FakeUpstream;
let channels: Channels;
let probe: Probe;
let rows: TestRow[];
let rules: TestRules;
let finished: number;

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  http = createHttp();
  upstream = await startFakeUpstream();
  rows = [];
  finished = 0;
  rules = { disable: true, enable: true, thresholdSeconds: 0, keywords: [], pauseSeconds: 0 };
  channels = createChannels({
    db: store.db,
    sealer: createSealer(randomBytes(32)),
    types: channelTypes,
    audit: createAudit({ db: store.db, reports: store.db, clock: Date.now }),
    clock: Date.now,
    log: quiet,
    onChange: async () => undefined,
    announce: () => undefined,
  });
  const toolServers = new ToolServers({ http, clock: Date.now });
  const deps: ProbeDeps = {
    ...channels,
    provider: providerOf,
    prepare: async (request, channel) =>
      bridge(
        providerOf(channel.type)!,
        channel,
        request,
        applyModelMapping(channel.modelMapping, request.facts.model),
        relayOptions,
      ),
    write(request, channel, caller) {
      const model = applyModelMapping(channel.modelMapping, request.facts.model);
      const call = bridge(providerOf(channel.type)!, channel, request, model, relayOptions);
      overrideHeaders(call, channel, caller);
      return call;
    },
    dropRejectedToken: () => false,
    listTools: async (channel) => [...(await toolServers.listNow(channel)).keys()],
    send: (call) =>
      http.request({ ...call, scope: 'operator', headersTimeoutMs: 5_000, bodyTimeoutMs: 5_000 }, 1_000_000),
    priceOf: (model) => (model === 'unpriced' ? null : snapshot),
    record: async (row) => {
      rows.push(row);
    },
    requestId: () => 'test-1',
    rules: () => rules,
    onDone: () => {
      finished += 1;
    },
    clock: Date.now,
    log: quiet,
  };
  probe = createProbe(deps);
});

afterEach(async () => {
  await http.close();
  await upstream.close();
  await store.close();
});

const make = async (fields: Record<string, unknown> = {}): Promise<number> => {
  const input = channelInput.parse({
    type: 1,
    name: 'c',
    key,
    models: 'gpt-4o',
    base_url: upstream.url,
    ...fields,
  });
  return (await channels.create(input))[0]!.id;
};

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof AppError ? error.code : `other: ${String(error)}`),
  );

describe('the test of one channel', () => {
  it('asks for one token, stores the time and logs its price for the tester', async () => {
    const id = await make({ model_mapping: '{"gpt-4o":"gpt-4o-2024-11-20"}' });
    const result = await probe.test(id, { model: '' }, tester);
    expect(result.error).toBeUndefined();
    expect(upstream.requests).toHaveLength(1);
    const [request] = upstream.requests;
    expect(request!.path).toBe('/v1/chat/completions');
    expect(request!.headers.authorization).toBe(`Bearer ${key}`);
    expect(request!.json()).toEqual({
      model: 'gpt-4o-2024-11-20',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 10,
    });
    const channel = await channels.get(id);
    expect(channel.test_time).toBeGreaterThan(0);
    expect(channel.response_time).toBe(result.milliseconds);
    // 10 input and 5 output tokens: (10 + 5 × 3) × 2.
    expect(rows).toMatchObject([
      {
        type: 2,
        user_id: 1,
        username: 'root',
        content: '模型测试',
        token_name: '模型测试',
        token_id: 0,
        model_name: 'gpt-4o',
        channel_id: id,
        prompt_tokens: 10,
        completion_tokens: 5,
        quota: 50,
      },
    ]);
    expect(JSON.parse(rows[0]!.other)).toMatchObject({
      is_model_mapped: true,
      upstream_model_name: 'gpt-4o-2024-11-20',
    });
  });

  it.each([
    ['o3-mini', '/v1/chat/completions', { max_completion_tokens: 10 }],
    ['gemini-2.0-flash', '/v1/chat/completions', { max_tokens: 300 }],
    ['claude-3-7-sonnet-thinking', '/v1/chat/completions', { max_tokens: 50 }],
    ['text-embedding-3-small', '/v1/embeddings', { input: ['hello world'] }],
  ])('of %s sends a request for that kind of model', async (model, path, body) => {
    const id = await make({ models: `gpt-4o,${model}`, test_model: 'gpt-4o' });
    expect((await probe.test(id, { model }, tester)).error).toBeUndefined();
    expect(upstream.requests[0]!.path).toBe(path);
    expect(upstream.requests[0]!.json()).toMatchObject(body);
  });

  it('uses the test model, else the first of the list', async () => {
    await probe.test(await make({ models: 'gpt-4o,gpt-4', test_model: 'gpt-4' }), { model: '' }, tester);
    await probe.test(await make({ models: 'gpt-4o,gpt-4' }), { model: '' }, tester);
    expect(upstream.requests.map((request) => request.json().model)).toEqual(['gpt-4', 'gpt-4o']);
  });

  it.each<[string, Parameters<FakeUpstream['script']>[0], string]>([
    [
      'a refusal in its own words',
      faults.refuse(401, { message: 'bad key', code: 'invalid_api_key' }),
      'bad key',
    ],
    ['no answer at all', 'reset-at-once', 'The upstream could not be reached'],
    ['a page of HTML', 'html-200', ''],
    ['half a JSON body', 'broken-json', ''],
  ])('reports the error on %s, and changes no status', async (_name, script, words) => {
    const id = await make();
    upstream.script(script);
    const { error } = await probe.test(id, { model: '' }, tester);
    expect(error).toBeDefined();
    expect(error!.message).toContain(words);
    expect(error!.message).not.toContain(key);
    expect(rows).toEqual([]);
    expect((await channels.get(id)).status).toBe(channelStatus.enabled);
  });

  it('keeps a failure with its cause beside the channel, and a success clears it', async () => {
    const id = await make();
    const outcome = async () => {
      const { test_outcome, test_failure, response_time, test_time } = await channels.get(id);
      expect(test_time).toBeGreaterThan(0);
      return { test_outcome, test_failure, hasTime: response_time > 0 };
    };
    upstream.script(faults.refuse(401, { message: 'bad key' }));
    await probe.test(id, { model: '' }, tester);
    expect(await outcome()).toEqual({
      test_outcome: testOutcome.failed,
      test_failure: { cause: 'status', status: 401, message: 'bad key', model: 'gpt-4o' },
      hasTime: false,
    });
    upstream.script('reset-at-once');
    await probe.test(id, { model: '' }, tester);
    expect((await outcome()).test_failure).toMatchObject({ cause: 'lost', message: '' });
    upstream.script(async (exchange) => {
      await sleep(5);
      await healthy()(exchange);
    });
    await probe.test(id, { model: '' }, tester);
    expect(await outcome()).toEqual({
      test_outcome: testOutcome.passed,
      test_failure: null,
      hasTime: true,
    });
  });

  it.each(['some-encoder', 'bge-m3'])(
    'asks for an embedding where the server has no chat (%s)',
    async (models) => {
      upstream.script((exchange) =>
        exchange.path.endsWith('/embeddings')
          ? healthy()(exchange)
          : faults.refuse(404, { message: 'Not Found' })(exchange),
      );
      const id = await make({ models });
      expect((await probe.test(id, { model: '' }, tester)).error).toBeUndefined();
      expect((await channels.get(id)).test_outcome).toBe(testOutcome.passed);
      // A user with a chat as notice channel gets the notice in that chat.
      expect((await probe.test(id, { model: '', kind: 'chat' }, tester)).error?.status).toBe(404);
    },
  );

  it('of a model that is found nowhere reports the answer to the chat', async () => {
    upstream.script(faults.refuse(404, { message: 'Not Found' }));
    const { error } = await probe.test(await make(), { model: '' }, tester);
    expect([error?.status, upstream.requests.map(({ path }) => path)]).toEqual([
      404,
      ['/v1/chat/completions', '/v1/embeddings'],
    ]);
  });

  it('of a speech model takes its sound', async () => {
    upstream.script(faults.body(Buffer.alloc(64, 1), 'audio/mpeg'));
    const result = await probe.test(await make({ models: 'tts-1' }), { model: '' }, tester);
    expect([result.error, upstream.requests[0]!.path]).toEqual([undefined, '/v1/audio/speech']);
  });

  it('of a channel whose address refuses connections reports that', async () => {
    const id = await make({ base_url: 'http://127.0.0.1:1' });
    expect((await probe.test(id, { model: '' }, tester)).failure).toMatchObject({
      cause: expect.stringMatching(/^(?:refused|lost)$/) as string,
    });
    expect((await channels.get(id)).test_outcome).toBe(testOutcome.failed);
  });

  it('works for the sandbox without a network', async () => {
    const id = await make({ type: 9001, base_url: '', models: 'sandbox-fast' });
    expect((await probe.test(id, { model: '' }, tester)).error).toBeUndefined();
    expect(rows).toHaveLength(1);
    expect((await probe.test(id, { model: 'sandbox-fail-500' }, tester)).error?.status).toBe(500);
    expect(upstream.connections).toBe(0);
  });

  it.each([11, 21])('of a vendor that closed reports that (type %i)', async (type) => {
    const id = await make({ base_url: upstream.url, models: 'chat-bison-001' });
    // Such channels cannot be created any more; they exist only in imported data.
    await channelRows.update(store.db, id, { type });
    expect((await probe.test(id, { model: '' }, tester)).error?.words?.en).toContain('closed by its vendor');
    expect(upstream.connections).toBe(0);
  });

  it('of a model without a price shows the result and writes no row', async () => {
    expect((await probe.test(await make(), { model: 'unpriced' }, tester)).error).toBeUndefined();
    expect(rows).toEqual([]);
  });

  it('of a channel that was deleted is refused', async () => {
    expect(await refusal(probe.test(9_999, { model: '' }, tester))).toBe('channel_not_found');
  });
});

describe('the test of all channels', () => {
  const runAll = () => probe.testAll(tester).done;
  const readStatus = async (id: number) => (await channels.get(id)).status;

  it('disables channels with a bad key, leaves those with passing failures, and enables those that work again', async () => {
    const [bad, weary, healed, byHand] = [
      await make(),
      await make(),
      await make(),
      await make({ status: 2 }),
    ];
    const judged = new Map([
      [bad, faults.refuse(401)],
      [weary, faults.refuse(503)],
    ]);
    await channels.autoDisable(healed, 'was bad');
    for (const id of judged.keys()) await channels.update({ id, models: `model-${id}` });
    upstream.script((exchange) => {
      const id = Number(String(exchange.json().model).replace('model-', ''));
      return (judged.get(id) ?? healthy())(exchange);
    });
    await runAll();
    expect(await Promise.all([bad, weary, healed, byHand].map(readStatus))).toEqual([3, 1, 1, 2]);
    const outcomes = await Promise.all(
      [bad, weary, healed].map(async (id) => (await channels.get(id)).test_outcome),
    );
    expect(outcomes).toEqual([testOutcome.failed, testOutcome.failed, testOutcome.passed]);
    expect(JSON.parse((await channels.get(bad)).other_info)).toMatchObject({
      status_reason: 'fake refusal 401',
    });
    expect(probe.testProgress()).toMatchObject({ running: false, total: 4, done: 4, failed: 2 });
    expect(
      new Set(probe.testProgress().failures.map(({ id, failure }) => `${id} ${failure.status}`)),
    ).toEqual(new Set([`${bad} 401`, `${weary} 503`]));
    expect(finished).toBe(1);
  });

  it('gives a channel back the key that works again, and takes the one that does not', async () => {
    const form = { type: 1, name: 'several', models: 'm', base_url: upstream.url };
    const several = channelInput.parse({ ...form, mode: 'multi_to_single', key: 'sk-a\nsk-b\nsk-c\nsk-d' });
    const [{ id } = { id: 0 }] = await channels.create(several);
    const [, b, c, d] = await channels.listKeys(id);
    await channels.disableKey(id, b!.id, 'was bad');
    await channels.disableKey(id, c!.id, 'is bad');
    await channels.manageKeys(id, 'disable_key', { id: d!.id });
    upstream.script((exchange) => {
      const isBad = ['Bearer sk-a', 'Bearer sk-c'].includes(String(exchange.headers.authorization));
      return (isBad ? faults.refuse(401) : healthy())(exchange);
    });
    await runAll();
    expect((await channels.listKeys(id)).map(({ status }) => status)).toEqual([3, 1, 3, 2]);
    expect(await readStatus(id)).toBe(channelStatus.enabled);
  });

  it('disables channels slower than the threshold, with the message of the API', async () => {
    const id = await make();
    rules = { ...rules, thresholdSeconds: 0.002 };
    upstream.script(async (exchange) => {
      await sleep(20);
      await healthy()(exchange);
    });
    await runAll();
    const { status, other_info } = await channels.get(id);
    expect(status).toBe(channelStatus.autoDisabled);
    expect(other_info).toMatch(/响应时间 \d+\.\d\ds 超过阈值 0\.00s/);
  });

  it('changes nothing while the options are off', async () => {
    const [bad, off] = [await make(), await make()];
    await channels.autoDisable(off, 'x');
    rules = { ...rules, disable: false, enable: false };
    upstream.next(faults.refuse(401));
    await runAll();
    expect(await Promise.all([bad, off].map(readStatus))).toEqual([1, 3]);
  });

  it('runs once at a time, reports its progress and can be stopped', async () => {
    for (let count = 0; count < 8; count += 1) await make();
    let open!: () => void;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    upstream.script(async (exchange) => {
      await gate;
      await healthy()(exchange);
    });
    const { done } = probe.testAll(tester);
    await upstream.arrived(0);
    expect(() => probe.testAll(tester)).toThrow('测试已在运行中');
    expect(probe.testProgress()).toMatchObject({ running: true, total: 8, done: 0, failed: 0 });
    probe.stopTestAll();
    open();
    await done;
    const { running, done: count } = probe.testProgress();
    expect(running).toBe(false);
    expect(count).toBe(4);
    await runAll();
    expect(probe.testProgress().done).toBe(8);
  });

  it('on schedule does not interrupt a run that was started by hand', async () => {
    await make();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    upstream.script(async (exchange) => {
      await gate;
      await healthy()(exchange);
    });
    const timed = testChannels({ probe, testMinutes: 10 });
    const { done } = probe.testAll(tester);
    await upstream.arrived(0);
    await timed?.run();
    open();
    await done;
    expect(finished).toBe(1);
    await timed?.run();
    expect(finished).toBe(2);
  });
});

describe('the model list of an upstream', () => {
  it('is fetched with the stored key', async () => {
    expect(await probe.fetchModels(await make())).toEqual(['fake-model', 'fake-embedding']);
    expect(upstream.requests[0]!.path).toBe('/v1/models');
    expect(upstream.requests[0]!.headers.authorization).toBe(`Bearer ${key}`);
  });

  it('is fetched with a key that is not stored, the first of several', async () => {
    const account = { type: 1, baseUrl: `${upstream.url}/`, key: ' sk-first \nsk-second' };
    expect(await probe.fetchModelsWith(account)).toEqual(['fake-model', 'fake-embedding']);
    expect(upstream.requests[0]!.headers.authorization).toBe('Bearer sk-first');
  });

  it('is refused with a readable error when it fails', async () => {
    const id = await make();
    upstream.script(faults.refuse(401));
    expect(await refusal(probe.fetchModels(id))).toBe('upstream_request_failed');
    upstream.script('reset-at-once');
    expect(await refusal(probe.fetchModels(id))).toBe('upstream_request_failed');
    upstream.script('html-200');
    expect(await refusal(probe.fetchModels(id))).toBe('upstream_answer_unreadable');
    expect(await refusal(probe.fetchModelsWith({ type: 9001, baseUrl: '', key: 'x' }))).toBe(
      'not_implemented',
    );
    expect(await refusal(probe.fetchModelsWith({ type: 9_998, baseUrl: '', key: 'x' }))).toBe(
      'not_implemented',
    );
  });
});

describe('a tool server', () => {
  const tool = { type: 9002, key: 'tool-secret' };

  it('is tested by its list of tools, which are its models; no tool is called', async () => {
    const server = await startToolServer();
    const account = { ...tool, baseUrl: server.url };
    const names = await probe.fetchModelsWith(account);
    expect(names.slice(0, 2)).toEqual(['weather__add', 'weather__metered']);
    expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(names.length);
    const id = await make({ ...tool, base_url: server.url, models: 'weather__add' });
    expect((await probe.test(id, { model: '' }, tester)).failure).toBeUndefined();
    expect(server.calls).toEqual([]);
    server.options.refuses = 401;
    expect((await probe.test(id, { model: '' }, tester)).failure).toMatchObject({
      cause: 'status',
      status: 401,
    });
    expect(await refusal(probe.fetchModels(id))).toBe('upstream_request_failed');
    await server.close();
    expect((await probe.test(id, { model: '' }, tester)).failure).toMatchObject({
      cause: expect.stringMatching(/^(?:refused|lost)$/) as string,
    });
  });
});

describe('a preview', () => {
  const form = (fields: Record<string, unknown>) => ({
    ...channelInput.parse({ type: 1, name: 'c', key: 'sk-of-the-vendor', models: 'gpt-4o', ...fields }),
    id: undefined,
  });
  const order = { model: '', path: '/v1/chat/completions', request: '' } as const;

  it('shows the request as the form would send it, sends nothing, and hides every secret', async () => {
    const shown = await probe.preview(
      form({
        base_url: upstream.url,
        model_mapping: '{"gpt-4o":"mapped"}',
        param_override: '{"temperature":0,"operations":[{"mode":"delete","path":"user"}]}',
        setting: '{"system_prompt":"Be brief."}',
        header_override: '{"x-own":"a","x-access-token":"literal-secret","x-from":"{client_header:x-run}"}',
      }),
      { ...order, request: '{"messages":[{"role":"user","content":"hi"}],"user":"u"}' },
    );
    expect(shown.url).toBe(`${upstream.url}/v1/chat/completions`);
    expect(JSON.parse(shown.body)).toEqual({
      model: 'mapped',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      temperature: 0,
    });
    expect(shown.headers).toMatchObject({
      authorization: 'Bearer [hidden]',
      'x-own': 'a',
      'x-access-token': '[hidden]',
      'x-from': '(x-run)',
    });
    expect(upstream.connections).toBe(0);
    expect(rows).toEqual([]);
  });

  it('of a stored channel is made with its key, which it does not show', async () => {
    const id = await make({ key: 'sk-stored-secret', header_override: '{"x-second":"k={api_key}"}' });
    const { id: _, ...fields } = form({
      base_url: upstream.url,
      header_override: '{"x-second":"k={api_key}"}',
    });
    const shown = await probe.preview({ ...fields, key: '', id }, order);
    expect(shown.headers['x-second']).toBe('k=[hidden]');
    expect(JSON.stringify(shown)).not.toContain('sk-stored-secret');
  });

  it.each(['/v1/messages', '/v1/responses', '/v1/embeddings', '/v1/images/generations'] as const)(
    'has a sample of %s',
    async (path) => {
      const { body } = await probe.preview(form({ base_url: upstream.url }), { ...order, path });
      expect(JSON.parse(body)).toHaveProperty('model', 'gpt-4o');
    },
  );

  it('refuses a sample that is no object', async () => {
    const shown = probe.preview(form({ base_url: upstream.url }), { ...order, request: '[1' });
    expect(await refusal(shown)).toBe('channel_json_invalid');
  });
});

describe('a balance', () => {
  it('is fetched from the vendor and stored with the channel', async () => {
    const id = await make();
    expect(await probe.updateBalance(id)).toBe(100);
    const channel = await channels.get(id);
    expect(channel.balance).toBe(100);
    expect(channel.balance_updated_time).toBeGreaterThan(0);
  });

  it('of zero disables the channel in a run over all channels, and one failure does not stop the rest', async () => {
    const [broken, empty, off] = [await make(), await make(), await make({ status: 2 })];
    upstream.next(faults.refuse(500));
    upstream.script((exchange) =>
      exchange.path.includes('usage') ? faults.body('{"total_usage":12000}')(exchange) : healthy()(exchange),
    );
    await probe.updateBalances();
    expect((await channels.get(broken)).status).toBe(channelStatus.enabled);
    expect(await channels.get(empty)).toMatchObject({ status: channelStatus.autoDisabled, balance: 0 });
    expect((await channels.get(empty)).other_info).toContain('余额不足');
    expect((await channels.get(off)).balance_updated_time).toBe(0);
  });

  it('of several keys is their sum, an empty one goes off, and one that cannot be asked stops no other', async () => {
    const id = await make({ key: 'k-full\nk-empty\nk-broken', mode: 'multi_to_single' });
    upstream.script((exchange) => {
      const { authorization } = exchange.headers;
      if (authorization === 'Bearer k-broken') return faults.refuse(500)(exchange);
      const isEmpty = authorization === 'Bearer k-empty' && exchange.path.includes('usage');
      return (isEmpty ? faults.body('{"total_usage":12000}') : healthy())(exchange);
    });
    await probe.updateBalances();
    expect((await channels.listKeys(id)).map(({ status }) => status)).toEqual([1, 3, 1]);
    expect(await channels.get(id)).toMatchObject({ status: channelStatus.enabled, balance: 100 });
  });

  it('is not fetched from the vendor’s own host for a key that was saved for another host', async () => {
    // AI Proxy reports balances on a separate host; this channel has another address.
    const id = await make({ type: 10 });
    expect(await refusal(probe.updateBalance(id))).toBe('not_implemented');
    expect(upstream.connections).toBe(0);
  });

  it('that no vendor reports is refused', async () => {
    expect(await refusal(probe.updateBalance(await make({ type: 4 })))).toBe('not_implemented');
  });
});

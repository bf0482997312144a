import { setTimeout as sleep } from 'node:timers/promises';
import { tokenStatus } from '@tollgate/contract';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeBatches } from '../../testing/upstream/fake-batches.ts';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import { type Behaviour, json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { playModel } from '../../testing/model/fake-model.ts';
import { partsOf } from '../../services/calls/routing/index.ts';
import type { OwnBatch } from '../../services/calls/tasks/index.ts';
import type { tokens } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { chargeRows, pollTasks, taskRow } from '../../testing/poll-tasks.ts';

// Batches for channels whose vendor has none: the gateway makes the calls itself.

/** A model of each kind of channel, and the channel's type. */
const kinds = [
  ['Chat Completions', 'deep', 43],
  ['Messages', 'claude', 14],
  ['Gemini', 'gemini', 24],
  ['Cohere', 'command', 34],
] as const;
let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
let now: number;
let behaviour: Behaviour;
/** The last user's words in each call that was answered or refused. */
let asked: string[];

type Body = Record<string, unknown>;
const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const claudeOf = ({ key }: TestCaller): Anthropic =>
  new Anthropic({ apiKey: key, baseURL: gate.url, maxRetries: 0 });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const named = (count: number): string[] => Array.from({ length: count }, (_, index) => `item ${index + 1}`);
const chatOf = (model: string, words: string): Body => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: words }],
});
const line = (name: string, body: Body, url = '/v1/chat/completions'): string =>
  JSON.stringify({ custom_id: name, method: 'POST', url, body });
const submit = async (lines: readonly string[], client = sdk, endpoint = '/v1/chat/completions') => {
  const file = await toFile(Buffer.from(lines.join('\n')), 'calls.jsonl');
  const { id } = await client.files.create({ file, purpose: 'batch' });
  return client.batches.create({
    input_file_id: id,
    endpoint: endpoint as '/v1/chat/completions',
    completion_window: '24h',
  });
};
const rowOf = (id: string) => taskRow(gate, id);
const poll = () => pollTasks(gate);
const ended = async (id: string): Promise<void> => {
  await expect
    .poll(
      async () => {
        await poll();
        return (await rowOf(id)).finish_time;
      },
      { timeout: 20_000, interval: 50 },
    )
    .toBeGreaterThan(0);
};
const logRows = () => chargeRows(gate);
const changeKey = (change: Partial<tokens.TokenRow>) =>
  gate.core.store.db.updateTable('tokens').set(change).where('id', '=', caller.tokenId).execute();
const linesOf = async (id: string | null | undefined): Promise<Body[]> =>
  (await (await sdk.files.content(id ?? '')).text())
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Body);

beforeEach(async () => {
  now = 1_800_000_000_000;
  gate = await openGateway({}, {}, () => now);
  const { settings } = gate.core;
  const models = [...kinds.map(([, model]) => model), 'gpt-4o-mini'];
  await settings.set('ModelRatio', JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))));
  await settings.set(
    'CompletionRatio',
    JSON.stringify(Object.fromEntries(models.map((model) => [model, 4]))),
  );
  await settings.set('OwnBatchCalls', '3');
  asked = [];
  behaviour = playModel(() => ({ say: 'Hello!' }));
  const others: Behaviour = (exchange) => {
    asked.push(/item \d+/.exec(exchange.body.toString())?.[0] ?? '');
    return behaviour(exchange);
  };
  gate.upstream.script(fakeBatches(others, () => now).behaviour);
  await gate.addChannel({ models: 'gpt-4o-mini' });
  for (const [, models_, type] of kinds) await gate.addChannel({ type, models: models_ });
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await gate.core.ledger.flush();
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.core.store.db.selectFrom('batch_items').selectAll().execute()).toEqual([]);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

describe('a batch for a channel without batches', () => {
  it.each(kinds)(
    'of %s is held, each call charged once at its full price, its results read',
    async (_, model) => {
      const before = await gate.readBalance(caller);
      const names = named(7);
      const made = await submit(names.map((name) => line(name, chatOf(model, name))));
      expect(made.id).toMatch(/^batch_\w{32}$/);
      await ended(made.id);
      const batch = await sdk.batches.retrieve(made.id);
      expect(batch).toMatchObject({
        status: 'completed',
        request_counts: { total: 7, completed: 7, failed: 0 },
        error_file_id: null,
      });
      expect(asked.toSorted()).toEqual(names);
      const results = await linesOf(batch.output_file_id);
      expect(results.map(({ custom_id: name }) => name)).toEqual(names);
      expect(results[0]).toMatchObject({
        response: { status_code: 200, body: { choices: [{ message: { content: 'Hello!' } }] } },
      });
      const rows = await logRows();
      const { prompt_tokens: input, completion_tokens: output } = rows[0]!;
      expect(rows.map(({ quota }) => quota)).toEqual(names.map(() => input + 4 * output));
      expect(JSON.parse(rows[0]!.other)).toMatchObject({ batch_id: made.id, usage_source: 'upstream' });
      expect(JSON.parse(rows[0]!.other)).not.toHaveProperty('service_tier');
      const cost = rows.reduce((sum, { quota }) => sum + quota, 0);
      expect(await gate.readBalance(caller)).toEqual({ balance: before.balance - cost, held: 0 });
      expect((await rowOf(made.id)).quota).toBe(cost);
      const listed = (await sdk.files.list({ purpose: 'batch_output' })).data;
      expect(listed.map(({ id }) => id)).toEqual([batch.output_file_id]);
      const other = clientOf(await gate.addCaller());
      expect(await readFailure(other.files.content(batch.output_file_id!))).toMatchObject({ status: 404 });
      await sdk.files.delete(batch.output_file_id!);
      expect(await readFailure(sdk.files.content(batch.output_file_id!))).toMatchObject({ status: 404 });
      expect(await gate.core.store.db.selectFrom('kept_parts').select('id').execute()).toEqual([]);
    },
  );

  it.each(kinds.filter(([, , type]) => type !== 14))(
    'of %s has the shape of Anthropic for its clients',
    async (_, model) => {
      const client = claudeOf(caller);
      const requests = named(3).map((name) => ({
        custom_id: name,
        params: { model, max_tokens: 100, messages: [{ role: 'user' as const, content: name }] },
      }));
      const made = await client.messages.batches.create({ requests });
      expect(made).toMatchObject({ processing_status: 'in_progress', results_url: null });
      await ended(made.id);
      const batch = await client.messages.batches.retrieve(made.id);
      expect(batch).toMatchObject({
        processing_status: 'ended',
        request_counts: { processing: 0, succeeded: 3 },
      });
      const results: string[] = [];
      for await (const { custom_id: name, result } of await client.messages.batches.results(made.id))
        results.push(`${name} ${result.type === 'succeeded' ? JSON.stringify(result.message.content) : ''}`);
      expect(results).toEqual(named(3).map((name) => expect.stringMatching(`${name} .*Hello!`) as string));
      expect(await logRows()).toHaveLength(3);
      await client.messages.batches.delete(made.id);
      expect(await gate.core.store.db.selectFrom('kept_parts').select('id').execute()).toEqual([]);
      expect(await gate.core.store.db.selectFrom('vendor_objects').select('id').execute()).toEqual([]);
    },
  );

  it('has the calls of Responses too', async () => {
    const made = await submit(
      [line('item 1', { model: 'claude', max_output_tokens: 100, input: 'item 1' }, '/v1/responses')],
      sdk,
      '/v1/responses',
    );
    await ended(made.id);
    const [result] = await linesOf((await sdk.batches.retrieve(made.id)).output_file_id);
    expect(result).toMatchObject({ response: { body: { object: 'response', status: 'completed' } } });
  });

  it.each([
    [
      'OpenAI',
      'embed',
      '/v1/embeddings',
      42,
      { data: [{ embedding: [1, 2] }], usage: { prompt_tokens: 20 } },
    ],
    [
      'Gemini',
      'gemini',
      ':batchEmbedContents',
      24,
      { embeddings: [{ values: [1, 2] }], usageMetadata: { promptTokenCount: 20 } },
    ],
    [
      'Cohere',
      'command',
      '/v2/embed',
      34,
      { embeddings: { float: [[1, 2]] }, meta: { billed_units: { input_tokens: 20 } } },
    ],
  ])('has embeddings by calls of %s, which cost their input', async (_, model, path, type, answer) => {
    await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1 }));
    // A vendor without embeddings gets none.
    await gate.addChannel({ type: 43, models: model, priority: 9 });
    if (type === 42) await gate.addChannel({ type, models: model });
    behaviour = (exchange) =>
      exchange.path.endsWith(path) && asked.at(-1) !== 'item 2'
        ? json(answer)(exchange)
        : refuse(400, { message: 'no such thing' })(exchange);
    const before = await gate.readBalance(caller);
    const endpoint = '/v1/embeddings';
    const lines = named(3).map((name) => line(name, { model, input: name }, endpoint));
    const made = await submit(lines, sdk, endpoint);
    await ended(made.id);
    const batch = await sdk.batches.retrieve(made.id);
    expect(batch).toMatchObject({ endpoint, request_counts: { completed: 2, failed: 1 } });
    expect(await linesOf(batch.output_file_id)).toMatchObject(
      ['item 1', 'item 3'].map((name) => ({
        custom_id: name,
        response: { body: { data: [{ embedding: [1, 2] }], usage: { prompt_tokens: 20 } } },
      })),
    );
    expect(await logRows()).toMatchObject([
      { prompt_tokens: 20, completion_tokens: 0, quota: 20 },
      { prompt_tokens: 20, completion_tokens: 0, quota: 20 },
    ]);
    expect(await gate.readBalance(caller)).toEqual({ balance: before.balance - 40, held: 0 });
  });

  it('of embeddings is refused if an answer would be too long, whatever dimensions it asks for', async () => {
    const input = Array.from({ length: 400 }, () => 'x');
    const lines = [line('a', { model: 'gemini', input, dimensions: 2 }, '/v1/embeddings')];
    expect(await readFailure(submit(lines, sdk, '/v1/embeddings'))).toMatchObject({
      status: 400,
      message: expect.stringContaining('line 1: the vectors') as string,
    });
    expect(asked).toEqual([]);
    expect(
      await gate.core.store.db.selectFrom('kept_parts').select('id').where('place', '>', 0).execute(),
    ).toEqual([]);
  });

  it('of embeddings is refused where no channel makes them', async () => {
    const lines = [line('a', { model: 'deep', input: 'item 1' }, '/v1/embeddings')];
    expect(await readFailure(submit(lines, sdk, '/v1/embeddings'))).toMatchObject({
      status: 501,
      code: 'api_not_implemented',
    });
  });

  it('is offered only if the site allows it', async () => {
    await gate.core.settings.set('OwnBatchCalls', '0');
    expect(await readFailure(submit([line('a', chatOf('deep', 'item 1'))]))).toMatchObject({
      status: 501,
      code: 'api_not_implemented',
    });
    expect(await gate.core.store.db.selectFrom('kept_parts').select('id').execute()).toEqual([]);
  });

  it('goes on after failures, and gives back the hold of calls that fail for good', async () => {
    const play = behaviour;
    behaviour = (exchange) => {
      const words = asked.at(-1)!;
      if (words === 'item 2') return refuse(400, { message: 'no such thing' })(exchange);
      const tries = asked.filter((each) => each === words).length;
      if (words === 'item 1' && tries < 3) return refuse(500)(exchange);
      return play(exchange);
    };
    const made = await submit(named(3).map((name) => line(name, chatOf('deep', name))));
    const goOn = setInterval(() => (now += 30_000), 20);
    await ended(made.id).finally(() => clearInterval(goOn));
    const batch = await sdk.batches.retrieve(made.id);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 3, completed: 2, failed: 1 },
    });
    expect(await linesOf(batch.error_file_id)).toMatchObject([
      {
        custom_id: 'item 2',
        response: {
          status_code: 400,
          body: { error: { message: expect.stringContaining('no such') as string } },
        },
      },
    ]);
    expect(await logRows()).toHaveLength(2);
  });

  it('leaves a busy channel alone, and its callers come first', async () => {
    const play = behaviour;
    behaviour = refuse(429, { retryAfter: '60' });
    const made = await submit(named(9).map((name) => line(name, chatOf('deep', name))));
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    await expect.poll(async () => (await rowOf(made.id)).state).toBe('in_progress');
    await poll();
    // The first calls at once, and none until the vendor wants more.
    expect(asked.length).toBeLessThanOrEqual(3);
    behaviour = play;
    const answer = await sdk.chat.completions.create({
      model: 'deep',
      messages: [{ role: 'user', content: 'item 10' }],
    });
    expect(answer.choices[0]?.message.content).toBe('Hello!');
    now += 61_000;
    await ended(made.id);
    expect(await logRows()).toHaveLength(10);
  });

  it('takes at most half of the limits of a channel', async () => {
    const setting = JSON.stringify({ limits: { requests_per_minute: 4 } });
    await gate.addChannel({ type: 43, models: 'limited', setting });
    await gate.core.settings.set('ModelRatio', JSON.stringify({ limited: 1 }));
    const made = await submit(named(5).map((name) => line(name, chatOf('limited', name))));
    await expect.poll(() => asked.length).toBe(2);
    await poll();
    expect(asked).toHaveLength(2);
    const chat = () =>
      sdk.chat.completions.create({ model: 'limited', messages: [{ role: 'user', content: 'item 9' }] });
    await chat();
    await chat();
    const goOn = setInterval(() => (now += 30_000), 20);
    await ended(made.id).finally(() => clearInterval(goOn));
    expect(await logRows()).toHaveLength(7);
  });

  it('needs no channel with files: the site keeps the input itself', async () => {
    const { db } = gate.core.store;
    const [openai] = await db.selectFrom('channels').select('id').orderBy('id').execute();
    await gate.core.channels.remove([openai!.id]);
    const text = named(3)
      .map((name) => line(name, chatOf('deep', name)))
      .join('\n');
    const file = await sdk.files.create({
      file: await toFile(Buffer.from(text), 'a.jsonl'),
      purpose: 'batch',
    });
    expect(file).toMatchObject({ purpose: 'batch', bytes: text.length });
    expect(await (await sdk.files.content(file.id)).text()).toBe(text);
    expect(await sdk.files.retrieve(file.id)).toEqual(file);
    const other = { file: await toFile(Buffer.from(text), 'a.txt'), purpose: 'user_data' } as const;
    expect(await readFailure(sdk.files.create(other))).toMatchObject({ status: 501 });
    const { id } = await sdk.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    await ended(id);
    expect(await sdk.batches.retrieve(id)).toMatchObject({ request_counts: { completed: 3 } });
    await sdk.files.delete(file.id);
    expect((await sdk.files.list({ purpose: 'batch' })).data).toEqual([]);
    const stranger = clientOf(await gate.addCaller());
    expect(await readFailure(stranger.files.content(file.id))).toMatchObject({ status: 404 });
  });

  it('that is cancelled charges what was answered, and gives back the rest', async () => {
    let open = (): void => undefined;
    const gateOpens = new Promise<void>((resolve) => (open = resolve));
    const play = behaviour;
    behaviour = async (exchange) => {
      await gateOpens;
      return play(exchange);
    };
    const made = await submit(named(6).map((name) => line(name, chatOf('deep', name))));
    await expect.poll(() => asked.length).toBe(3);
    expect(await sdk.batches.cancel(made.id)).toMatchObject({ id: made.id, status: 'cancelling' });
    open();
    await ended(made.id);
    const batch = await sdk.batches.retrieve(made.id);
    expect(batch).toMatchObject({
      status: 'cancelled',
      request_counts: { total: 6, completed: 3, failed: 3 },
    });
    expect((await linesOf(batch.error_file_id)).map(({ error }) => (error as Body)['code'])).toEqual(
      Array.from({ length: 3 }, () => 'batch_cancelled'),
    );
    expect(await logRows()).toHaveLength(3);
    expect(asked).toHaveLength(3);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['its key is disabled', () => changeKey({ status: 2 }), 'token_disabled'],
    ['its key is deleted', () => changeKey({ deleted_at: 1 }), 'invalid_api_key'],
    [
      'its key may call other models only',
      () => changeKey({ model_limits_enabled: 1, model_limits: 'claude' }),
      'model_not_allowed',
    ],
    [
      'its user is banned',
      () =>
        gate.core.store.db.updateTable('users').set({ status: 2 }).where('id', '=', caller.userId).execute(),
      'user_banned',
    ],
    [
      'a hook applies that must check each call',
      () =>
        gate.core.settings.set(
          'GuardHooks',
          JSON.stringify([
            {
              name: 'check',
              url: 'http://127.0.0.1:1/',
              who: 'all',
              when: ['before'],
              on_failure: 'closed',
              timeout_ms: 1000,
              window: 0,
            },
          ]),
        ),
      'hook_unsupported',
    ],
  ])('makes no further call once %s', async (_, change, code) => {
    let open = (): void => undefined;
    const gateOpens = new Promise<void>((resolve) => (open = resolve));
    const play = behaviour;
    behaviour = async (exchange) => {
      await gateOpens;
      return play(exchange);
    };
    const made = await submit(named(6).map((name) => line(name, chatOf('deep', name))));
    await expect.poll(() => asked.length).toBe(3);
    await change();
    open();
    await ended(made.id);
    expect(asked).toHaveLength(3);
    const rows = await logRows();
    expect(rows).toHaveLength(3);
    const cost = rows.reduce((sum, { quota }) => sum + quota, 0);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000 - cost, held: 0 });
    const { own } = JSON.parse((await rowOf(made.id)).bill) as { own: OwnBatch };
    const errors: string[] = [];
    for await (const part of gate.relay.house.routes.tasks.gateway.keptParts.read(partsOf(own.errors)))
      errors.push(part.toString());
    expect(errors).toHaveLength(3);
    for (const error of errors) expect(error).toContain(code);
  });

  it('goes on if its key is used up: its cost is held', async () => {
    const made = await submit(named(4).map((name) => line(name, chatOf('deep', name))));
    await changeKey({ status: tokenStatus.exhausted });
    await ended(made.id);
    expect(await logRows()).toHaveLength(4);
  });

  it('gives up an answer that comes in drops and has no end', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const ending = new AbortController();
      setTimeout(() => ending.abort(), 300);
      return ending.signal;
    });
    const play = behaviour;
    let drops = 0;
    behaviour = async (exchange) => {
      if (asked.at(-1) !== 'item 1') return play(exchange);
      exchange.head(200, { 'content-type': 'application/json' });
      for (; drops < 200; drops += 1) {
        await exchange.write(' ');
        await sleep(50);
      }
      return exchange.end();
    };
    const made = await submit(named(2).map((name) => line(name, chatOf('deep', name))));
    const goOn = setInterval(() => (now += 30_000), 20);
    await ended(made.id).finally(() => clearInterval(goOn));
    expect(drops).toBeLessThan(200);
    expect((await sdk.batches.retrieve(made.id)).request_counts).toMatchObject({ completed: 1, failed: 1 });
  });

  it('makes fewer calls at once as soon as the site wants that', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    const play = behaviour;
    behaviour = async (exchange) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return play(exchange);
    };
    const made = await submit(named(9).map((name) => line(name, chatOf('deep', name))));
    await expect.poll(() => waiting.length).toBe(3);
    await gate.core.settings.set('OwnBatchCalls', '1');
    const first = waiting.splice(0);
    for (const each of first) each();
    const pump = setInterval(() => {
      most = Math.max(most, waiting.length);
      waiting.shift()?.();
    }, 30);
    await ended(made.id).finally(() => clearInterval(pump));
    expect(asked).toHaveLength(9);
    expect(most).toBeLessThanOrEqual(1);
  });

  it('expires after a day', async () => {
    behaviour = refuse(429);
    const made = await submit(named(2).map((name) => line(name, chatOf('deep', name))));
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    now += 25 * 3_600_000;
    await ended(made.id);
    const batch = await sdk.batches.retrieve(made.id);
    expect(batch).toMatchObject({ status: 'expired', request_counts: { completed: 0, failed: 2 } });
    expect(await logRows()).toEqual([]);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('that the balance does not cover is refused, and nothing is asked or kept', async () => {
    const poor = await gate.addCaller({ balance: 1_000 });
    expect(
      await readFailure(
        submit(
          named(6).map((name) => line(name, chatOf('deep', name))),
          clientOf(poor),
        ),
      ),
    ).toMatchObject({ status: 403 });
    expect(asked).toEqual([]);
    expect(await gate.core.store.db.selectFrom('kept_parts').select('id').execute()).toEqual([]);
  });

  it('keeps no more than a user may have: the rest of the calls fails, and costs nothing', async () => {
    const { keptParts } = gate.relay.house.routes.tasks.gateway;
    const rooms = [0, 1_000_000, 1];
    keptParts.room = () => Promise.resolve(rooms.shift() ?? 0);
    const lines = named(7).map((name) => line(name, chatOf('deep', name)));
    expect(await readFailure(submit(lines))).toMatchObject({ status: 413, code: 'files_full' });
    expect(await gate.core.store.db.selectFrom('kept_parts').select('id').execute()).toEqual([]);
    const made = await submit(lines);
    await ended(made.id);
    const batch = await sdk.batches.retrieve(made.id);
    const answered = batch.request_counts?.completed ?? 0;
    expect([1, 2, 3]).toContain(answered);
    const errors = await linesOf(batch.error_file_id);
    expect(errors).toHaveLength(7 - answered);
    expect(errors[0]).toMatchObject({
      response: { status_code: 413, body: { error: { code: 'files_full' } } },
    });
    expect(await logRows()).toHaveLength(answered);
  });

  it('shares that room among the batches of a user', async () => {
    const { keptParts } = gate.relay.house.routes.tasks.gateway;
    const room = 4_000;
    const rooms = [room, room, room, room];
    keptParts.room = () => Promise.resolve(rooms.shift() ?? 0);
    let open = (): void => undefined;
    const gateOpens = new Promise<void>((resolve) => (open = resolve));
    const play = behaviour;
    behaviour = async (exchange) => {
      await gateOpens;
      return play(exchange);
    };
    const lines = named(8).map((name) => line(name, chatOf('deep', name)));
    const made = [await submit(lines), await submit(lines)];
    await expect.poll(() => rooms).toEqual([]);
    open();
    const sizes: number[] = [];
    for (const { id } of made) {
      await ended(id);
      const { own } = JSON.parse((await rowOf(id)).bill) as { own: OwnBatch };
      const rows = await gate.core.store.db
        .selectFrom('kept_parts')
        .select('size')
        .where('object', '=', partsOf(own.answers))
        .execute();
      sizes.push(...rows.map(({ size }) => size));
    }
    // Those that run at once may exceed it.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(room + 3 * Math.max(...sizes));
    expect(sizes.length).toBeLessThan(16);
  });

  it('leaves the holds of applications alone, which have no channel either', async () => {
    const post = (path: string, body: Body) =>
      fetch(`${gate.url}/v1/ledger/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { id } = (await (await post('hold', { name: 'pages', usd: 0.1 })).json()) as Body;
    const made = await submit([line('item 1', chatOf('deep', 'item 1'))]);
    await ended(made.id);
    expect((await post('settle', { id, usd: 0.05 })).status).toBe(200);
  });

  it('keeps calls and results sealed', async () => {
    const made = await submit([line('item 1', chatOf('deep', 'item 1 a-secret-word'))]);
    await ended(made.id);
    const tables = await gate.core.store.db.introspection.getTables();
    for (const { name } of tables) {
      const rows = await gate.core.store.db
        .selectFrom(name as 'tasks')
        .selectAll()
        .execute();
      expect(JSON.stringify(rows), name).not.toMatch(/a-secret-word|Hello!/);
    }
  });
});

import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestCancel } from '../../services/calls/tasks/index.ts';
import { addBudget, budgetFigures } from '../../services/money/ledger/testing/test-bed.ts';
import { fakeBatches } from '../../testing/upstream/fake-batches.ts';
import { healthy } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { chargeRows, pollTasks, taskRow } from '../../testing/poll-tasks.ts';

const model = 'gpt-4o-mini';
let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
let now: number;
let vendor: ReturnType<typeof fakeBatches>;

const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const fails = (status: number, text: string) =>
  expect.objectContaining({ status, message: expect.stringContaining(text) as string }) as Error;

type Body = Record<string, unknown>;
const chatOf = (words: string, more: Body = {}): Body => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: words }],
  ...more,
});
const line = (name: string, body: Body = chatOf(name), url = '/v1/chat/completions'): string =>
  JSON.stringify({ custom_id: name, method: 'POST', url, body });
const upload = async (lines: readonly string[], client = sdk): Promise<string> => {
  const file = await toFile(Buffer.from(lines.join('\n')), 'calls.jsonl');
  return (await client.files.create({ file, purpose: 'batch' })).id;
};
const submit = async (lines: readonly string[], client = sdk, more: Body = {}) =>
  client.batches.create({
    input_file_id: await upload(lines, client),
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    ...more,
  });
const named = (count: number): string[] => Array.from({ length: count }, (_, index) => `item ${index + 1}`);
const answered = (prompt: number, completion: number) => ({
  answer: chatBody('gpt-up', 'Hello!', usageBody(prompt, completion)) as Body,
});
/** The vendor's only batch. */
const atVendor = () => {
  const [found, ...others] = vendor.batches.values();
  expect(others).toEqual([]);
  return found!;
};
const poll = () => pollTasks(gate);
const rowOf = (id: string) => taskRow(gate, id);
const collected = async (id: string): Promise<void> => {
  await poll();
  await expect.poll(async () => (await rowOf(id)).finish_time).toBeGreaterThan(0);
};
const logRows = () => chargeRows(gate);

beforeEach(async () => {
  now = 1_800_000_000_000;
  gate = await openGateway({}, {}, () => now);
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1, claude: 2, opus: 2 }));
  await gate.core.settings.set('CompletionRatio', JSON.stringify({ [model]: 4, claude: 5, opus: 5 }));
  vendor = fakeBatches(healthy(), () => now);
  gate.upstream.script(vendor.behaviour);
  await gate.addChannel({ model_mapping: JSON.stringify({ [model]: 'gpt-up' }) });
  await gate.addChannel({ type: 14, models: 'claude,opus' });
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  await gate.core.ledger.flush();
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.core.store.db.selectFrom('batch_items').selectAll().execute()).toEqual([]);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

describe('a batch of OpenAI', () => {
  it('holds the tokens of all items on a budget that counts them, and counts those of each that was answered', async () => {
    const id = await addBudget(gate.core.store, 1_000, { user_id: caller.userId, unit: 'tokens' });
    await gate.core.budgetRules.reload();
    const made = await submit(named(4).map((name) => line(name)));
    const { held } = await budgetFigures(gate.core.store, id);
    expect([held > 400, held < 1_000]).toEqual([true, true]);
    expect(await readFailure(submit(named(8).map((name) => line(name))))).toMatchObject({ status: 429 });
    const { object } = atVendor();
    vendor.begin(object.id, 4);
    vendor.end(object.id, (_item, index) => (index === 0 ? 'fails' : answered(20, 10 + index)));
    await collected(made.id);
    expect(await budgetFigures(gate.core.store, id)).toMatchObject({ used: 96, held: 0 });
  });

  it('is held at once, charged for what was answered at half the price, and gives back the rest', async () => {
    const before = await gate.readBalance(caller);
    const made = await submit(
      named(250).map((name) => line(name)),
      sdk,
      { metadata: { purpose: 'night' } },
    );
    expect(made).toMatchObject({ object: 'batch', status: 'validating', metadata: { purpose: 'night' } });
    expect(made.id).toMatch(/^batch_\w{32}$/);
    const { held } = await gate.readBalance(caller);
    // 100 tokens of output at 4, and less than 100 bytes of input at 1, at half the price.
    expect(held).toBeGreaterThanOrEqual(250 * 200);
    expect(held).toBeLessThan(250 * 250);
    const { items, object } = atVendor();
    expect(items.map(({ name, body }) => [name, body['model']])).toEqual(
      named(250).map((name) => [name, 'gpt-up']),
    );
    vendor.begin(object.id, 50);
    await poll();
    expect(await sdk.batches.retrieve(made.id)).toMatchObject({
      status: 'in_progress',
      request_counts: { total: 250, completed: 50 },
      output_file_id: null,
    });
    vendor.end(object.id, (_item, index) =>
      index % 10 === 0 ? 'fails' : index % 10 === 1 ? 'expires' : answered(20, 10 + (index % 3)),
    );
    await collected(made.id);
    const ended = await sdk.batches.retrieve(made.id);
    expect(ended).toMatchObject({ status: 'expired', request_counts: { completed: 200, failed: 50 } });
    const rows = await logRows();
    expect(rows).toHaveLength(200);
    const cost = rows.reduce((sum, row) => sum + row.quota, 0);
    // (20 + 4 × 10..12) / 2 each.
    expect(rows[0]).toMatchObject({ prompt_tokens: 20, model_name: model, token_id: caller.tokenId });
    expect(rows.every(({ quota, completion_tokens: output }) => quota === (20 + 4 * output) / 2)).toBe(true);
    expect(JSON.parse(rows[0]!.other)).toMatchObject({
      batch_id: made.id,
      batch_item: 'item 3',
      service_tier: 'batch',
      service_tier_ratio: 0.5,
      usage_source: 'upstream',
    });
    expect(await gate.readBalance(caller)).toEqual({ balance: before.balance - cost, held: 0 });
    expect((await rowOf(made.id)).quota).toBe(cost);
    const output = await (await sdk.files.content(ended.output_file_id!)).text();
    expect(output.trim().split('\n')).toHaveLength(200);
    expect((await sdk.files.list({ purpose: 'batch_output' })).data).toHaveLength(2);
    expect((await sdk.batches.list()).data).toEqual([ended]);
    // The channel's own input is gone, the caller's file stays.
    expect([...vendor.files.values()].map(({ object: file }) => String(file['purpose'])).toSorted()).toEqual([
      'batch',
      'batch_output',
      'batch_output',
    ]);
  });

  it('shows its results to nobody before they are charged, and to nobody else', async () => {
    const made = await submit([line('a')]);
    const { object } = atVendor();
    vendor.end(object.id, () => answered(1, 1));
    expect(await sdk.batches.retrieve(made.id)).toMatchObject({ status: 'validating', output_file_id: null });
    const output = String(object['output_file_id']);
    expect(await readFailure(sdk.files.content(output))).toMatchObject({ status: 404 });
    await collected(made.id);
    await sdk.files.content(output);
    const other = clientOf(await gate.addCaller());
    for (const work of [
      () => other.batches.retrieve(made.id),
      () => other.batches.cancel(made.id),
      () => other.batches.list({ after: made.id }),
      () => other.files.content(output),
    ])
      expect(await readFailure(work())).toMatchObject({ status: 404 });
    expect((await other.batches.list()).data).toEqual([]);
    const stolen = {
      input_file_id: output,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    } as const;
    expect(await readFailure(other.batches.create(stolen))).toMatchObject({ status: 404 });
  });

  it('with an Idempotency-Key is made once', async () => {
    const asked = {
      input_file_id: await upload([line('a')]),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    } as const;
    const once = { headers: { 'idempotency-key': 'nightly' } };
    const made = await sdk.batches.create(asked, once);
    const { held } = await gate.readBalance(caller);
    expect(await sdk.batches.create(asked, once)).toEqual(made);
    expect((await gate.readBalance(caller)).held).toBe(held);
    vendor.end(atVendor().object.id, () => answered(10, 5));
    await collected(made.id);
  });

  it('that the balance does not cover is refused, and nothing is sent', async () => {
    const poor = await gate.addCaller({ balance: 1_000 });
    const client = clientOf(poor);
    expect(
      await readFailure(
        submit(
          named(6).map((name) => line(name)),
          client,
        ),
      ),
    ).toEqual(fails(403, 'quota'));
    expect(vendor.batches.size).toBe(0);
    expect(vendor.files.size).toBe(1);
    expect(await gate.readBalance(poor)).toEqual({ balance: 1_000, held: 0 });
    const made = await submit([line('a')], client);
    vendor.end(atVendor().object.id, () => 'fails');
    await collected(made.id);
    expect(await gate.readBalance(poor)).toEqual({ balance: 1_000, held: 0 });
  });

  it('takes what is free for an item that costs more than is held, and books the rest as a loss', async () => {
    const poor = await gate.addCaller({ balance: 600 });
    const made = await submit([line('a'), line('b')], clientOf(poor));
    vendor.end(atVendor().object.id, () => answered(10, 250));
    await collected(made.id);
    expect(await gate.readBalance(poor)).toEqual({ balance: 0, held: 0 });
    expect((await logRows()).map(({ quota }) => quota)).toEqual([505, 95]);
  });

  it('is cancelled at its vendor: what was answered by then is charged', async () => {
    const made = await submit([line('a'), line('b')]);
    expect(await sdk.batches.cancel(made.id)).toMatchObject({ id: made.id, status: 'cancelling' });
    vendor.end(atVendor().object.id, (_item, index) => (index === 0 ? answered(10, 10) : 'expires'));
    await collected(made.id);
    expect(await sdk.batches.cancel(made.id)).toMatchObject({ status: 'cancelled' });
    expect(await logRows()).toMatchObject([{ quota: 25 }]);
  });

  it('is cancelled at the next poll if its user asks for that in the console, even if it has just ended', async () => {
    const { db } = gate.core.store;
    const made = await submit([line('a')]);
    const { id, user_id: userId } = await rowOf(made.id);
    expect(await requestCancel(db, userId + 1, id, now)).toBeUndefined();
    expect(await requestCancel(db, userId, id, now)).toBe(made.id);
    await poll();
    expect(atVendor().object['status']).toBe('cancelling');
    vendor.end(atVendor().object.id, () => 'expires');
    await collected(made.id);
    expect(await requestCancel(db, userId, id, now)).toBeUndefined();
    expect(await sdk.batches.retrieve(made.id)).toMatchObject({ status: 'cancelled' });
  });

  it('never costs more than the ceiling of its call', async () => {
    const lines = [line('a'), line('b')];
    const input = {
      input_file_id: await upload(lines),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    } as const;
    const within = (dollars: number) => ({ headers: { 'x-tollgate-max-cost': String(dollars) } });
    expect(await readFailure(sdk.batches.create(input, within(0.0001)))).toEqual(fails(400, 'max-cost'));
    const made = await sdk.batches.create(input, within(0.001));
    const { held, balance } = await gate.readBalance(caller);
    vendor.end(atVendor().object.id, () => answered(10, 5_000));
    await collected(made.id);
    expect(balance - (await gate.readBalance(caller)).balance).toBe(held);
  });

  it.each<[string, string[], string]>([
    ['no call', ['{"custom_id":"a"}'], 'line 1'],
    ['another path', [line('a'), line('b', chatOf('x'), '/v1/embeddings')], 'line 2'],
    ['a name twice', [line('a'), line('a')], 'line 2: custom_id'],
    ['a stream', [line('a', chatOf('x', { stream: true }))], 'line 1'],
    ['another model', [line('a'), '', line('b', chatOf('x', { model: 'claude' }))], 'line 3'],
    ['names that are equal in bytes', [line('\ud800'), line('\ud801')], 'line 2: custom_id'],
    ['a field twice', [line('a').replace('"model"', '"model":"b","model"')], 'line 1'],
    ['no model of the site', [line('a', chatOf('x', { model: 'none' }))], 'line 1'],
    ['nothing', [''], 'no calls'],
  ])('with %s is refused, and nothing is sent or held', async (_name, lines, text) => {
    expect(await readFailure(submit(lines))).toMatchObject({
      message: expect.stringContaining(text) as string,
    });
    expect([vendor.batches.size, vendor.files.size]).toEqual([0, 1]);
    expect(await gate.readBalance(caller)).toMatchObject({ held: 0 });
  });

  it('goes to Azure by its own paths and deployments, wherever its file is', async () => {
    await gate.addChannel({ type: 3, models: 'gpt-4.1-mini', key: 'azure-key' });
    const lines = [line('a', chatOf('x', { model: 'gpt-4.1-mini' }))];
    expect(await readFailure(submit(lines))).toMatchObject({ code: 'model_price_error' });
    await gate.core.settings.set('ModelRatio', JSON.stringify({ 'gpt-4.1-mini': 1 }));
    const made = await submit(lines);
    const { object, items, key } = atVendor();
    expect([object['endpoint'], items[0]?.body['model'], key]).toEqual([
      '/chat/completions',
      'gpt-4.1-mini',
      'azure-key',
    ]);
    vendor.end(object.id, () => answered(10, 10));
    await collected(made.id);
    const { output_file_id: output, endpoint } = await sdk.batches.retrieve(made.id);
    expect(endpoint).toBe('/v1/chat/completions');
    expect(await (await sdk.files.content(output!)).text()).toContain('Hello!');
    expect(await logRows()).toHaveLength(1);
  });

  it('is charged by our count where its vendor reports what no model can read or write', async () => {
    const made = await submit([line('a')]);
    vendor.end(atVendor().object.id, () => answered(1e300, 2 ** 40));
    await collected(made.id);
    const [row] = await logRows();
    expect(JSON.parse(row!.other)).toMatchObject({ usage_source: 'estimated' });
    expect(row!.quota).toBeLessThan(100);
  });

  it('is not read from a channel that the rule of its key forbids', async () => {
    const input = await upload([line('a')]);
    const { db } = gate.core.store;
    await db.updateTable('tokens').set({ regions: 'eu' }).where('id', '=', caller.tokenId).execute();
    gate.core.keys.forgetAll();
    const sent = gate.upstream.requests.length;
    const asked = { endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
    expect(await readFailure(sdk.batches.create({ input_file_id: input, ...asked }))).toMatchObject({
      code: 'channels_outside_rule',
    });
    expect(gate.upstream.requests).toHaveLength(sent);
  });

  it('has calls of keys only: those of the playground choose their group', async () => {
    const endpoint = '/pg/chat/completions';
    const lines = [line('a', chatOf('x', { group: 'vip' }), endpoint)];
    const asked = { input_file_id: await upload(lines), endpoint, completion_window: '24h' };
    const answer = await fetch(`${gate.url}/v1/batches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}` },
      body: JSON.stringify(asked),
    });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('endpoint')]);
  });

  it('has embeddings too, which cost their input at half the price', async () => {
    const before = await gate.readBalance(caller);
    const endpoint = '/v1/embeddings';
    const lines = named(4).map((name) =>
      line(name, { model, input: [name, 'x'], dimensions: 2, encoding_format: 'base64' }, endpoint),
    );
    const made = await submit(lines, sdk, { endpoint });
    const { held } = await gate.readBalance(caller);
    expect([held > 0, held < 4 * 100]).toEqual([true, true]);
    const { object, items } = atVendor();
    expect([object['endpoint'], items[0]!.body]).toEqual([
      endpoint,
      { model: 'gpt-up', input: ['item 1', 'x'], dimensions: 2, encoding_format: 'base64' },
    ]);
    // More bytes than are kept of results until they are charged.
    const embedding = 'AACAPw=='.repeat(700_000);
    const vectors = { object: 'list', data: [{ object: 'embedding', index: 0, embedding }] };
    const usage = { prompt_tokens: 20, total_tokens: 20 };
    vendor.end(object.id, (_item, index) =>
      index === 1 ? 'fails' : { answer: { ...vectors, ...(index === 0 && { usage }) } },
    );
    await collected(made.id);
    const ended = await sdk.batches.retrieve(made.id);
    expect(ended).toMatchObject({
      endpoint,
      status: 'completed',
      request_counts: { completed: 3, failed: 1 },
    });
    const rows = await logRows();
    expect(rows.map(({ completion_tokens: output }) => output)).toEqual([0, 0, 0]);
    // Without a report, the input counts as estimated.
    expect(rows.map(({ other }) => (JSON.parse(other) as Body)['usage_source'])).toEqual([
      'upstream',
      'estimated',
      'estimated',
    ]);
    expect(rows[0]).toMatchObject({ prompt_tokens: 20, quota: 10 });
    const cost = rows.reduce((sum, row) => sum + row.quota, 0);
    expect(await gate.readBalance(caller)).toEqual({ balance: before.balance - cost, held: 0 });
    expect(await (await sdk.files.content(ended.output_file_id!)).text()).toContain('AACAPw==');
  });

  it('of embeddings is refused if an answer would be too long to be read', async () => {
    const endpoint = '/v1/embeddings';
    const input = Array.from({ length: 1_100 }, () => 'x');
    const work = (dimensions: number) =>
      submit(
        [line('a', { model, input: 'x' }, endpoint), line('b', { model, input, dimensions }, endpoint)],
        sdk,
        {
          endpoint,
        },
      );
    expect(await readFailure(work(3_072))).toEqual(fails(400, 'line 2: the vectors'));
    expect([vendor.batches.size, (await gate.readBalance(caller)).held]).toEqual([0, 0]);
    const made = await work(256);
    vendor.end(atVendor().object.id, () => 'fails');
    await collected(made.id);
  });

  it('that its vendor refuses costs nothing, and leaves no file', async () => {
    const input = await upload([line('a')]);
    // The client's types have no other window.
    const body = { input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '1h' };
    expect(await readFailure(sdk.post('/batches', { body }))).toMatchObject({ status: 400 });
    expect([...vendor.files.keys()]).toEqual([input]);
    expect(await gate.readBalance(caller)).toMatchObject({ balance: 5_000_000, held: 0 });
  });
});

describe('a batch of Anthropic', () => {
  const claude = (client = caller): Anthropic =>
    new Anthropic({ apiKey: client.key, baseURL: gate.url, maxRetries: 0 });
  const params = (words: string) => ({
    model: 'claude',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: words }],
  });
  const message = (input: number, output: number) => ({
    answer: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [{ type: 'text', text: 'Hello!' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: input, output_tokens: output },
    },
  });

  it('that was given up uncharged delivers no results', async () => {
    const client = claude();
    const made = await client.messages.batches.create({
      requests: [{ custom_id: 'a', params: params('a') }],
    });
    vendor.end(atVendor().object.id, () => message(10, 4));
    now += 8 * 24 * 3_600_000;
    await collected(made.id);
    expect(await client.messages.batches.retrieve(made.id)).toMatchObject({
      processing_status: 'ended',
      results_url: null,
    });
    const url = `${gate.url}/v1/messages/batches/${made.id}/results`;
    const read = await fetch(url, {
      headers: { 'x-api-key': caller.key, 'anthropic-version': '2023-06-01' },
    });
    expect([read.status, await read.text()]).toEqual([404, expect.not.stringContaining('Hello!')]);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('is charged by its results, not by the numbers in its object', async () => {
    const client = claude();
    const made = await client.messages.batches.create({
      requests: [{ custom_id: 'a', params: params('a') }],
    });
    vendor.end(atVendor().object.id, () => message(10, 4));
    const numbers = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
    atVendor().object['request_counts'] = numbers;
    await collected(made.id);
    expect((await logRows()).map(({ quota }) => quota)).toEqual([30]);
  });

  it('has models with the same budgets: its hold counts on those of the first one', async () => {
    const id = await addBudget(gate.core.store, 1_000_000, { model: 'opus' });
    await gate.core.budgetRules.reload();
    const requests = ['claude', 'opus'].map((name) => ({
      custom_id: name,
      params: { ...params('a'), model: name },
    }));
    expect(await readFailure(claude().messages.batches.create({ requests }))).toEqual(
      fails(400, 'other budgets'),
    );
    const made = await claude().messages.batches.create({ requests: requests.slice(1) });
    const { held } = await gate.readBalance(caller);
    expect(await budgetFigures(gate.core.store, id)).toMatchObject({ used: 0, held });
    vendor.end(atVendor().object.id, () => message(10, 4));
    await collected(made.id);
    expect(await budgetFigures(gate.core.store, id)).toMatchObject({ used: 30, held: 0 });
  });

  it('is submitted, read, listed, its results streamed once they are charged, and deleted', async () => {
    const client = claude();
    const requests = ['a', 'b', 'c'].map((name) => ({ custom_id: name, params: params(name) }));
    const made = await client.messages.batches.create({ requests });
    expect(made).toMatchObject({
      type: 'message_batch',
      processing_status: 'in_progress',
      results_url: null,
    });
    expect((await gate.readBalance(caller)).held).toBeGreaterThan(3 * 100 * 5);
    vendor.end(atVendor().object.id, (_item, index) => (index === 1 ? 'fails' : message(10, 4)));
    expect(await readFailure(client.messages.batches.results(made.id))).toBeInstanceOf(Error);
    await collected(made.id);
    const ended = await client.messages.batches.retrieve(made.id);
    expect(ended).toMatchObject({
      processing_status: 'ended',
      request_counts: { succeeded: 2, errored: 1 },
      results_url: expect.stringContaining(`/v1/messages/batches/${made.id}/results`) as string,
    });
    const results: string[] = [];
    for await (const { custom_id: name, result } of await client.messages.batches.results(made.id))
      results.push(`${name} ${result.type}`);
    expect(results).toEqual(['a succeeded', 'b errored', 'c succeeded']);
    // 2 × (10 + 5 × 4), at half the price.
    expect((await logRows()).map(({ quota }) => quota)).toEqual([30, 30]);
    expect((await client.messages.batches.list()).data.map(({ id }) => id)).toEqual([made.id]);
    const other = claude(await gate.addCaller());
    expect(await readFailure(other.messages.batches.retrieve(made.id))).toMatchObject({ status: 404 });
    expect(await client.messages.batches.delete(made.id)).toEqual({
      id: made.id,
      type: 'message_batch_deleted',
    });
    expect(vendor.batches.size).toBe(0);
    expect(await readFailure(client.messages.batches.retrieve(made.id))).toMatchObject({ status: 404 });
  });
});

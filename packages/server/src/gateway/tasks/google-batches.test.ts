import { noCostRule } from '@tollgate/contract';
import { GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answered, failed, fakeGoogleBatches } from '../../testing/upstream/fake-google-batches.ts';
import { healthy } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { chargeRows, endTasks } from '../../testing/poll-tasks.ts';

// Without a tier of its own in the price list.
const model = 'gemini-plain';
let gate: GatewayHarness;
let caller: TestCaller;
let google: GoogleGenAI;
let vendor: ReturnType<typeof fakeGoogleBatches>;
let channel: number;

const clientOf = ({ key }: TestCaller): GoogleGenAI =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gate.url } });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const asked = (words: string, more = {}) => ({
  contents: [{ role: 'user', parts: [{ text: words }] }],
  config: { maxOutputTokens: 100, systemInstruction: 'Be brief.' },
  metadata: { key: words },
  ...more,
});
const submit = (inlined: ReturnType<typeof asked>[], client = google) =>
  client.batches.create({ model, src: inlined, config: { displayName: 'night' } });
const collected = () => endTasks(gate);
const logRows = () => chargeRows(gate);
const atVendor = () => [...vendor.batches.values()].at(-1)!;

beforeEach(async () => {
  gate = await openGateway();
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1 }));
  await gate.core.settings.set('CompletionRatio', JSON.stringify({ [model]: 4 }));
  vendor = fakeGoogleBatches(healthy());
  gate.upstream.script(vendor.behaviour);
  const mapping = JSON.stringify({ [model]: 'gemini-up' });
  channel = await gate.addChannel({ type: 24, models: model, key: 'AIza', model_mapping: mapping });
  caller = await gate.addCaller();
  google = clientOf(caller);
});
afterEach(async () => {
  await gate.core.ledger.flush();
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.core.store.db.selectFrom('batch_items').selectAll().execute()).toEqual([]);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

describe('a batch of Google', () => {
  it('is held at once, charged by its results at half the price, and shows them when they are charged', async () => {
    const before = await gate.readBalance(caller);
    const made = await submit(['a', 'b', 'c'].map((words) => asked(words)));
    expect(made).toMatchObject({
      displayName: 'night',
      state: 'JOB_STATE_PENDING',
      model: `models/${model}`,
    });
    expect((await gate.readBalance(caller)).held).toBeGreaterThanOrEqual(3 * 200);
    const { model: sent, requests, operation } = atVendor();
    expect(sent).toBe('gemini-up');
    expect(requests).toMatchObject(
      ['a', 'b', 'c'].map((key) => ({
        request: { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
        metadata: { key },
      })),
    );
    vendor.end(operation.name, (_request, index) => (index === 1 ? failed : answered(20, 10)));
    const early = await google.batches.get({ name: made.name! });
    expect([early.state, early.dest]).toEqual(['JOB_STATE_PENDING', undefined]);
    await collected();
    const ended = await google.batches.get({ name: made.name! });
    expect(ended.state).toBe('JOB_STATE_SUCCEEDED');
    const results = ended.dest?.inlinedResponses ?? [];
    expect(
      results.map(({ response, error, metadata }) => [
        metadata?.['key'],
        error ?? response?.candidates?.[0]?.content?.parts?.[0]?.text,
      ]),
    ).toEqual([
      ['a', 'Hello!'],
      ['b', failed.error],
      ['c', 'Hello!'],
    ]);
    // (20 + 4 × 10) / 2 each.
    const rows = await logRows();
    expect(rows.map(({ quota }) => quota)).toEqual([30, 30]);
    expect(rows.map(({ other }) => (JSON.parse(other) as { batch_item: string }).batch_item)).toEqual([
      '1',
      '3',
    ]);
    expect(await gate.readBalance(caller)).toEqual({ balance: before.balance - 60, held: 0 });
    const listed = (await google.batches.list()).page;
    expect(listed.map(({ name, state, dest }) => [name, state, dest])).toEqual([
      [made.name, 'JOB_STATE_SUCCEEDED', undefined],
    ]);
    // What is kept here has no texts of the calls.
    expect((await gate.core.store.db.selectFrom('tasks').select('result').execute())[0]!.result).not.toMatch(
      /Hello!|inputConfig/,
    );
    await google.batches.delete({ name: made.name! });
    expect(vendor.batches.size).toBe(0);
    expect(await readFailure(google.batches.get({ name: made.name! }))).toMatchObject({ status: 404 });
  });

  it('of embeddings costs their input at half the price', async () => {
    const before = await gate.readBalance(caller);
    const made = await google.batches.createEmbeddings({
      model,
      src: { inlinedRequests: { contents: ['a', 'b', 'c', 'd'], config: { outputDimensionality: 2 } } },
      config: { displayName: 'vectors' },
    });
    expect(made).toMatchObject({ displayName: 'vectors', state: 'JOB_STATE_PENDING' });
    expect((await gate.readBalance(caller)).held).toBeGreaterThan(0);
    expect(gate.upstream.requests.at(-1)?.path).toBe('/v1beta/models/gemini-up:asyncBatchEmbedContent');
    const { requests, operation } = atVendor();
    expect(requests.map(({ request }) => request)).toMatchObject(
      ['a', 'b', 'c', 'd'].map((text) => ({ content: { parts: [{ text }] }, outputDimensionality: 2 })),
    );
    const embedding = { values: [1, 2] };
    // As it comes in batches, as it comes in calls, and uncounted.
    const counts = [{ tokenCount: '20' }, {}, { usageMetadata: { promptTokenCount: 40 } }, {}];
    vendor.end(operation.name, (_request, index) =>
      index === 1 ? failed : { response: { embedding, ...counts[index] } },
    );
    await collected();
    const ended = await google.batches.get({ name: made.name! });
    expect(
      ended.dest?.inlinedEmbedContentResponses?.map(({ response, error }) => error ?? response?.embedding),
    ).toEqual([embedding, failed.error, embedding, embedding]);
    const rows = await logRows();
    expect(rows.map(({ completion_tokens: output }) => output)).toEqual([0, 0, 0]);
    const [first, second, third] = rows.map(({ quota }) => quota);
    expect([first, second]).toEqual([10, 20]);
    expect(third).toBeGreaterThan(0);
    expect(JSON.parse(rows[2]!.other)).toMatchObject({ usage_source: 'estimated' });
    expect(await gate.readBalance(caller)).toEqual({ balance: before.balance - 30 - third!, held: 0 });
  });

  it('of embeddings is refused if the answer about it would be too long to be read', async () => {
    const work = (outputDimensionality: number) => {
      const contents = Array.from({ length: 400 }, (_, index) => `text ${index}`);
      const src = { inlinedRequests: { contents, config: { outputDimensionality } } };
      return google.batches.createEmbeddings({ model, src });
    };
    expect(await readFailure(work(3_072))).toMatchObject({ status: 400 });
    expect(await gate.readBalance(caller)).toMatchObject({ held: 0 });
    await work(768);
    vendor.end(atVendor().operation.name, () => failed);
    await collected();
  });

  it('is cancelled at its vendor: what was answered by then is charged', async () => {
    const made = await submit([asked('a'), asked('b')]);
    expect(await readFailure(google.batches.delete({ name: made.name! }))).toMatchObject({ status: 409 });
    await google.batches.cancel({ name: made.name! });
    expect(gate.upstream.requests.some(({ path }) => path.endsWith('abc:cancel'))).toBe(true);
    vendor.end(
      atVendor().operation.name,
      (_request, index) => (index === 0 ? answered(10, 10) : failed),
      'BATCH_STATE_CANCELLED',
    );
    await collected();
    expect((await google.batches.get({ name: made.name! })).state).toBe('JOB_STATE_CANCELLED');
    expect(await logRows()).toMatchObject([{ quota: 25 }]);
  });

  it('is visible to its user only', async () => {
    const made = await submit([asked('a')]);
    const other = clientOf(await gate.addCaller());
    const sent = gate.upstream.requests.length;
    const name = made.name!;
    for (const work of [
      () => other.batches.get({ name }),
      () => other.batches.cancel({ name }),
      () => other.batches.delete({ name }),
    ])
      expect(await readFailure(work())).toMatchObject({ status: 404 });
    expect((await other.batches.list()).page).toEqual([]);
    expect(gate.upstream.requests).toHaveLength(sent);
    vendor.end(atVendor().operation.name, () => failed);
    await collected();
  });

  it.each<[string, number, object]>([
    [
      'another model',
      400,
      { inputConfig: { requests: { requests: [{ request: { model: 'models/x', contents: [] } }] } } },
    ],
    ['no calls', 400, { inputConfig: { requests: { requests: [] } } }],
    ['no list', 400, { input_config: { requests: {} } }],
    ['a field without effect', 400, { webhookConfig: {}, inputConfig: {} }],
    ['an unknown file', 404, { inputConfig: { fileName: 'files/a' } }],
    ['a file and a list', 400, { inputConfig: { fileName: 'files/a', requests: { requests: [] } } }],
  ])('with %s is refused, and nothing is sent or held', async (_name, status, batch) => {
    const answer = await fetch(`${gate.url}/v1beta/models/${model}:batchGenerateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': caller.key, 'content-type': 'application/json' },
      body: JSON.stringify({ batch }),
    });
    expect([answer.status, vendor.batches.size]).toEqual([status, 0]);
    expect(await gate.readBalance(caller)).toMatchObject({ held: 0 });
  });

  it.each<[string, object, number]>([
    ['a part of the list price', { factor: 0.8 }, 24],
    ['a table by token', { models: { 'gemini-up': { input: 2, output: 8 } } }, 30],
    ['a table by call', { models: { 'gemini-up': { call: 0.001 } } }, 250],
  ])('costs the operator half of %s, whatever callers pay', async (_name, rule, cost) => {
    await gate.core.settings.set('BatchPriceFactor', '1');
    await gate.core.costs.save(channel, { ...noCostRule, ...rule });
    await submit([asked('a')]);
    vendor.end(atVendor().operation.name, () => answered(20, 10));
    await collected();
    expect(await logRows()).toMatchObject([{ quota: 60, cost }]);
  });
});

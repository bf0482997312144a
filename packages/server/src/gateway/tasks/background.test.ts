import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addBudget, budgetFigures } from '../../services/money/ledger/testing/test-bed.ts';
import { budgets } from '../../store/index.ts';
import { typedEvents } from '../../testing/upstream/fake-upstream-media.ts';
import { type Behaviour, json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { pollTasks } from '../../testing/poll-tasks.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
const model = 'gpt-4o-mini';
const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const start = (more: object = {}) =>
  sdk.responses.create({
    model,
    input: 'hi',
    background: true,
    ...more,
  }) as Promise<OpenAI.Responses.Response>;

/** A vendor that runs responses in the background: each is in the state that the test gives it. */
const vendor: { state: string; text: string; usage: boolean; posts: number; cancels: number } = {
  state: 'queued',
  text: '',
  usage: true,
  posts: 0,
  cancels: 0,
};
const answer: Behaviour = async (exchange) => {
  const { method, path } = exchange;
  if (method === 'POST' && path === '/v1/responses') vendor.posts += 1;
  if (path.endsWith('/cancel')) {
    vendor.cancels += 1;
    vendor.state = 'cancelled';
  }
  if (method === 'DELETE') return json({ id: 'resp_1', object: 'response', deleted: true })(exchange);
  const isOver = vendor.state === 'completed' || vendor.state === 'incomplete';
  const content = [{ type: 'output_text', text: vendor.text, annotations: [] }];
  await json({
    id: 'resp_1',
    object: 'response',
    status: vendor.state,
    model,
    background: true,
    store: true,
    error: vendor.state === 'failed' ? { code: 'server_error', message: 'it broke' } : null,
    output: vendor.text === '' ? [] : [{ type: 'message', id: 'msg_1', role: 'assistant', content }],
    // $0.15 and $0.60 for a million tokens: 75 + 300 quota units.
    usage: isOver && vendor.usage ? { input_tokens: 1_000, output_tokens: 1_000, total_tokens: 2_000 } : null,
  })(exchange);
};
const end = (state: string, text = ''): void => void Object.assign(vendor, { state, text });
const poll = () => pollTasks(gate);
const charges = async () =>
  gate.core.store.db
    .selectFrom('logs')
    .select(['quota', 'request_id', 'prompt_tokens', 'completion_tokens', 'model_name'])
    .where('type', '=', 2)
    .execute();
const money = async () => gate.readBalance(caller);

beforeEach(async () => {
  Object.assign(vendor, { state: 'queued', text: '', usage: true, posts: 0, cancels: 0 });
  gate = await openGateway();
  gate.upstream.script(answer);
  await gate.addChannel({});
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

describe('a response in the background', () => {
  it('is held for at once, polled, and charged once when it ends, although its caller never comes back', async () => {
    const { data, response } = await sdk.responses
      .create({ model, input: 'hi', background: true, max_output_tokens: 5_000 })
      .withResponse();
    expect(data).toMatchObject({ id: 'resp_1', status: 'queued', background: true });
    const sent = JSON.parse(gate.upstream.requests[0]!.body.toString()) as object;
    expect(sent).toMatchObject({ background: true, max_output_tokens: 5_000 });
    const { held, balance } = await money();
    expect(held).toBeGreaterThan(1_500);
    expect(balance).toBe(5_000_000);
    end('in_progress');
    await poll();
    expect(await money()).toEqual({ balance, held });
    end('completed', 'done');
    await poll();
    await poll();
    expect(await money()).toEqual({ balance: balance - 375, held: 0 });
    expect(await charges()).toMatchObject([
      {
        quota: 375,
        request_id: response.headers.get('x-tollgate-request-id'),
        prompt_tokens: 1_000,
        completion_tokens: 1_000,
        model_name: model,
      },
    ]);
  });

  it('holds its tokens on a budget that counts them, and counts those of its row', async () => {
    const { store, budgetRules } = gate.core;
    const rate = { user_id: caller.userId, unit: 'tokens' };
    const [id, small] = [await addBudget(store, 50_000, rate), await addBudget(store, 1_000, rate)];
    await budgetRules.reload();
    expect(await readFailure(start({ max_output_tokens: 5_000 }))).toMatchObject({ status: 429 });
    await budgets.remove(store.db, small);
    await budgetRules.reload();
    await start({ max_output_tokens: 5_000 });
    const { held } = await budgetFigures(store, id);
    expect([held >= 5_001, held < 5_100]).toEqual([true, true]);
    end('completed', 'done');
    await poll();
    expect(await budgetFigures(store, id)).toMatchObject({ used: 2_000, held: 0 });
  });

  it('is charged for the container that it makes, which is its caller’s, once', async () => {
    const answered = (output: object[], status: string): Behaviour =>
      json({
        id: 'resp_1',
        object: 'response',
        status,
        model,
        background: true,
        tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }],
        output,
        usage:
          status === 'completed' ? { input_tokens: 1_000, output_tokens: 1_000, total_tokens: 2_000 } : null,
      });
    const ran = { id: 'ci_1', type: 'code_interpreter_call', status: 'completed', container_id: 'cntr_1' };
    const tools = [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }];
    gate.upstream.script(answered([], 'queued'));
    const { id } = await start({ max_output_tokens: 1_000, tools });
    expect((await money()).held).toBeGreaterThanOrEqual(60_000 + 300);
    gate.upstream.script(answered([ran], 'completed'));
    await Promise.all([poll(), ...[1, 2, 3].map(() => sdk.responses.retrieve(id))]);
    expect(await money()).toEqual({ balance: 5_000_000 - 60_375, held: 0 });
    await poll();
    expect(await charges()).toMatchObject([{ quota: 60_375 }]);
    const stranger = await gate.addCaller();
    expect(await readFailure(clientOf(stranger).containers.retrieve('cntr_1'))).toMatchObject({
      status: 404,
    });
    gate.upstream.script(answered([ran], 'completed'));
    await sdk.responses.create({ model, input: 'hi', tools: tools as OpenAI.Responses.Tool[] });
    expect((await money()).balance).toBe(5_000_000 - 60_375 - 375);
  });

  it('is charged before its caller reads its end, and once however often it is read', async () => {
    const { id } = await start();
    end('in_progress');
    expect(await sdk.responses.retrieve(id)).toMatchObject({ status: 'in_progress' });
    end('completed', 'done');
    const reads = await Promise.all([1, 2, 3].map(() => sdk.responses.retrieve(id)));
    for (const read of reads) expect(read).toMatchObject({ status: 'completed', output_text: 'done' });
    expect(await money()).toEqual({ balance: 5_000_000 - 375, held: 0 });
    await poll();
    expect(await charges()).toHaveLength(1);
    expect(await sdk.responses.retrieve(id)).toMatchObject({ output_text: 'done' });
    await sdk.responses.delete(id);
    expect(await readFailure(sdk.responses.retrieve(id))).toMatchObject({ status: 404 });
  });

  it('is free if it fails or is cancelled before it has output, and counted if it was cancelled with some', async () => {
    const failed = await start();
    end('failed');
    await poll();
    expect(await money()).toEqual({ balance: 5_000_000, held: 0 });
    expect(await sdk.responses.retrieve(failed.id)).toMatchObject({ status: 'failed' });
    await gate.core.store.db.deleteFrom('tasks').execute();
    end('queued');
    const { id } = await start();
    expect(await sdk.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
    expect(await money()).toEqual({ balance: 5_000_000, held: 0 });
    await gate.core.store.db.deleteFrom('tasks').execute();
    end('queued');
    await start();
    vendor.text = 'a part of the answer '.repeat(200);
    expect(await sdk.responses.cancel('resp_1')).toMatchObject({ status: 'cancelled' });
    const [row] = await charges();
    expect(row!.completion_tokens).toBeGreaterThan(500);
    expect((await money()).balance).toBe(5_000_000 - row!.quota);
  });

  it('is charged before it is deleted, also with the parameter of a stream', async () => {
    const { id } = await start();
    end('completed', 'done');
    const gone = await fetch(`${gate.url}/v1/responses/${id}?stream=true`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${caller.key}` },
    });
    expect(gone.status).toBe(200);
    expect((await money()).balance).toBe(5_000_000 - 375);
  });

  it('is cancelled before it is deleted, so that nothing runs without a charge', async () => {
    const { id } = await start();
    end('in_progress');
    await sdk.responses.delete(id);
    expect(vendor.cancels).toBe(1);
    expect(gate.upstream.requests.at(-1)!.method).toBe('DELETE');
    expect(await money()).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('does not exist for others', async () => {
    const { id } = await start();
    const other = clientOf(await gate.addCaller());
    const sent = gate.upstream.requests.length;
    for (const work of [
      other.responses.retrieve(id),
      other.responses.cancel(id),
      other.responses.delete(id),
      other.responses.inputItems.list(id),
    ])
      expect(await readFailure(work as Promise<unknown>)).toMatchObject({ code: 'response_not_found' });
    expect(gate.upstream.requests).toHaveLength(sent);
    end('cancelled');
    await poll();
  });

  it('is refused before it is sent where its caller cannot pay for it, or where no channel runs it', async () => {
    const poor = clientOf(await gate.addCaller({ balance: 100 }));
    expect(await readFailure(poor.responses.create({ model, input: 'hi', background: true }))).toMatchObject({
      status: 403,
    });
    await gate.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
    const other = { model: 'claude-sonnet-4-5', input: 'hi', background: true };
    expect(await readFailure(sdk.responses.create(other))).toMatchObject({
      status: 400,
      code: 'invalid_api_type',
      message: expect.stringContaining('background') as string,
    });
    expect(gate.upstream.requests).toHaveLength(0);
    expect(await money()).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('is answered and charged at once by a vendor that knows no background', async () => {
    end('completed', 'done');
    expect(await start()).toMatchObject({ output_text: 'done' });
    expect(await money()).toEqual({ balance: 5_000_000 - 375, held: 0 });
  });

  it('is one call with an Idempotency-Key', async () => {
    const once = (): Promise<unknown> =>
      sdk.responses.create(
        { model, input: 'hi', background: true },
        { headers: { 'idempotency-key': 'just-once' } },
      );
    expect(await once()).toEqual(await once());
    expect(vendor.posts).toBe(1);
    end('completed', 'done');
    await poll();
    expect(await charges()).toHaveLength(1);
  });

  it('is free if the process dies before the vendor’s answer is kept, and otherwise charged by the next process', async () => {
    const { tasks } = gate.relay.house;
    const { id } = await start();
    await gate.core.store.db.updateTable('tasks').set({ state: 'submitting' }).execute();
    await tasks.recover();
    expect(await money()).toEqual({ balance: 5_000_000, held: 0 });
    expect(await sdk.responses.retrieve(id)).toMatchObject({ status: 'queued' });
    await gate.core.store.db.deleteFrom('tasks').execute();
    await start();
    await tasks.recover();
    await gate.core.ledger.recover();
    expect((await money()).held).toBeGreaterThan(0);
    end('completed', 'done');
    await poll();
    expect(await money()).toEqual({ balance: 5_000_000 - 375, held: 0 });
  });
});

describe('a stream of a response in the background', () => {
  const part = (status: string) => ({ id: 'resp_1', object: 'response', status, model, output: [] });
  const usage = { input_tokens: 1_000, output_tokens: 1_000, total_tokens: 2_000 };
  const created = { type: 'response.created', sequence_number: 0, response: part('queued') };
  const delta = { type: 'response.output_text.delta', sequence_number: 1, item_id: 'msg_1', delta: 'do' };
  const ended = {
    type: 'response.completed',
    sequence_number: 2,
    response: { ...part('completed'), usage },
  };
  const open = () => sdk.responses.create({ model, input: 'hi', background: true, stream: true });
  const readTypes = async (stream: AsyncIterable<{ type: string }>): Promise<string[]> => {
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    return types;
  };

  it('is held for as a whole, and charged once, before its end is shown', async () => {
    gate.upstream.next(typedEvents(created, delta, ended));
    const seen: [string, number][] = [];
    for await (const { type } of await open()) seen.push([type, (await money()).balance]);
    expect(seen.map(([type]) => type)).toEqual([created.type, delta.type, ended.type]);
    expect(seen.at(-1)![1]).toBe(5_000_000 - 375);
    end('completed', 'done');
    await poll();
    expect(await charges()).toHaveLength(1);
    expect(await sdk.responses.retrieve('resp_1')).toMatchObject({ output_text: 'done' });
  });

  it('goes on at its vendor after its caller leaves, is resumed there, and is charged once', async () => {
    const { promise: over, resolve: go } = Promise.withResolvers<void>();
    gate.upstream.next(typedEvents(created, delta, over, ended));
    const stream = await open();
    for await (const { type } of stream) if (type === delta.type) break;
    stream.controller.abort();
    expect((await money()).held).toBeGreaterThan(375);
    gate.upstream.next(typedEvents(delta, ended));
    const resumed = await sdk.responses.retrieve('resp_1', { stream: true, starting_after: 0 });
    expect(await readTypes(resumed)).toEqual([delta.type, ended.type]);
    expect(gate.upstream.requests.at(-1)!.path).toBe('/v1/responses/resp_1?stream=true&starting_after=0');
    end('completed', 'done');
    await poll();
    await poll();
    go();
    expect(await money()).toEqual({ balance: 5_000_000 - 375, held: 0 });
    expect(await charges()).toHaveLength(1);
  });

  it('that breaks off ends with an error, and its response is charged when it is polled', async () => {
    const { promise: cut, resolve } = Promise.withResolvers<void>();
    gate.upstream.next(async (exchange) => {
      exchange.head(200, { 'content-type': 'text/event-stream' });
      await exchange.write(`event: ${created.type}\ndata: ${JSON.stringify(created)}\n\n`);
      await cut;
      exchange.cut();
    });
    const stream = await open();
    resolve();
    expect(await readFailure(readTypes(stream))).toMatchObject({ code: 'upstream_broken' });
    expect((await money()).held).toBeGreaterThan(0);
    end('completed', 'done');
    await poll();
    expect(await money()).toEqual({ balance: 5_000_000 - 375, held: 0 });
  });

  it('that is refused, or begins with an error, is free', async () => {
    gate.upstream.next('refuse-500');
    expect(await readFailure(open())).toMatchObject({ status: 500 });
    gate.upstream.next(typedEvents({ type: 'error', error: { code: 'server_error', message: 'it broke' } }));
    expect(await readFailure(open())).toMatchObject({
      message: expect.stringContaining('it broke') as string,
    });
    expect(await money()).toEqual({ balance: 5_000_000, held: 0 });
  });
});

import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { compactionBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { typedEvents } from '../../testing/upstream/fake-upstream-media.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
let now: number;
const model = 'gpt-4o-mini';
/** Names of the channels; their keys identify them to the upstream. */
const keys = ['sk-first', 'sk-second', 'sk-third'];

const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });

const responseOf = (id: string, store: boolean) => ({
  id,
  object: 'response',
  status: 'completed',
  model,
  store,
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
});
/** The next answer is a response with this id. */
const answering = (id: string, store = true): void => gate.upstream.next(json(responseOf(id, store)));
const askedKey = (): string => String(gate.upstream.requests.at(-1)!.headers.authorization).slice(7);
const balance = async (): Promise<number> => (await gate.readBalance(caller)).balance;
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

beforeEach(async () => {
  now = 1_800_000_000_000;
  gate = await openGateway({}, {}, () => now);
  for (const key of keys) await gate.addChannel({ name: key, key });
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

describe('a compaction', () => {
  it('passes and is charged by its usage, and is no response that could be continued', async () => {
    const before = await balance();
    const compacted = await sdk.responses.compact({ model, input: 'a long conversation' });
    expect(compacted).toMatchObject(compactionBody() as object);
    expect(gate.upstream.requests.at(-1)!.path).toBe('/v1/responses/compact');
    await gate.core.ledger.flush();
    // $0.15 and $0.60 for a million tokens.
    expect(before - (await balance())).toBe(75 + 60);
    const continued = sdk.responses.create({ model, input: 'on', previous_response_id: compacted.id });
    expect(await readFailure(continued)).toMatchObject({ code: 'previous_response_not_found' });
  });

  it('of a stored response goes to the channel that made it', async () => {
    for (let round = 0; round < 6; round += 1) {
      answering(`resp_${round}`);
      await sdk.responses.create({ model, input: 'hi' });
      const made = askedKey();
      await sdk.responses.compact({ model, previous_response_id: `resp_${round}` });
      expect(askedKey()).toBe(made);
    }
  });

  it('is refused before it is sent, and costs nothing, where the channel speaks another protocol', async () => {
    await gate.addChannel({ name: 'claude', type: 14, models: 'claude-sonnet-4-5' });
    const before = await balance();
    const sent = gate.upstream.requests.length;
    const refused = await readFailure(sdk.responses.compact({ model: 'claude-sonnet-4-5', input: 'x' }));
    expect(refused).toMatchObject({ code: 'invalid_api_type' });
    expect(gate.upstream.requests).toHaveLength(sent);
    expect(await balance()).toBe(before);
  });
});

describe('a call that continues a stored response', () => {
  it('goes to the channel that made it, whole or streamed, and to no other when that one fails', async () => {
    await gate.core.settings.set('RetryTimes', '3');
    for (let round = 0; round < 6; round += 1) {
      answering(`resp_${round}`);
      await sdk.responses.create({ model, input: 'hi' });
      const made = askedKey();
      for (let again = 0; again < 4; again += 1) {
        answering(`resp_${round}_${again}`);
        await sdk.responses.create({ model, input: 'on', previous_response_id: `resp_${round}` });
        expect(askedKey()).toBe(made);
      }
    }
    const response = responseOf('resp_streamed', true);
    gate.upstream.next(
      typedEvents(
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'hi' },
        { type: 'response.completed', response },
      ),
    );
    const stream = await sdk.responses.create({ model, input: 'hi', stream: true });
    for await (const event of stream) expect(event.type).toMatch(/^response/);
    const made = askedKey();
    const sent = gate.upstream.requests.length;
    gate.upstream.next('refuse-500');
    const failed = await readFailure(
      sdk.responses.create({ model, input: 'on', previous_response_id: response.id }),
    );
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
    expect(gate.upstream.requests).toHaveLength(sent + 1);
    expect(askedKey()).toBe(made);
  });

  it('is refused as OpenAI does, and costs nothing, where the response is not known or not the caller’s', async () => {
    answering('resp_of_caller');
    await sdk.responses.create({ model, input: 'hi' });
    answering('resp_not_stored', false);
    await sdk.responses.create({ model, input: 'hi', store: false });
    const other = await gate.addCaller();
    const sent = gate.upstream.requests.length;
    for (const [who, id] of [
      [caller, 'resp_never_made'],
      [caller, 'resp_not_stored'],
      [other, 'resp_of_caller'],
    ] as const) {
      const asked = { model, input: 'on', previous_response_id: id };
      expect(await readFailure(clientOf(who).responses.create(asked))).toMatchObject({
        status: 400,
        code: 'previous_response_not_found',
        param: 'previous_response_id',
        type: 'invalid_request_error',
        message: expect.stringContaining(`Previous response with id '${id}' not found`) as string,
      });
    }
    expect(gate.upstream.requests).toHaveLength(sent);
    expect(await gate.readBalance(other)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('is refused once its channel is off, serves the caller no more, or has forgotten it', async () => {
    answering('resp_1');
    await sdk.responses.create({ model, input: 'hi' });
    const id = keys.indexOf(askedKey()) + 1;
    const next = { model, input: 'on', previous_response_id: 'resp_1' };
    for (const [change, back] of [
      [{ status: 2 }, { status: 1 }],
      [{ group: 'vip' }, { group: 'default' }],
      [{ models: 'gpt-4o' }, { models: model }],
    ]) {
      await gate.core.channels.update({ id, ...change });
      expect(await readFailure(sdk.responses.create(next))).toMatchObject({
        code: 'previous_response_not_found',
      });
      await gate.core.channels.update({ id, ...back });
    }
    answering('resp_2');
    await sdk.responses.create(next);
    now += 31 * 86_400_000;
    expect(await readFailure(sdk.responses.create(next))).toMatchObject({
      code: 'previous_response_not_found',
    });
    await gate.relay.storedResponses.sweep();
    const rows = await gate.core.store.db.selectFrom('vendor_objects').selectAll().execute();
    expect(rows).toEqual([]);
  });

  it('is refused for a conversation: there are none here', async () => {
    for (const conversation of ['conv_1', { id: 'conv_1' }])
      expect(await readFailure(sdk.responses.create({ model, input: 'hi', conversation }))).toMatchObject({
        status: 404,
        code: 'conversation_not_found',
        param: 'conversation',
      });
    expect(gate.upstream.requests).toHaveLength(0);
  });
});

describe('a call about a stored response', () => {
  /** Stores a response at one of the channels; returns the key of that channel. */
  const store = async (id: string): Promise<string> => {
    answering(id);
    await sdk.responses.create({ model, input: 'hi' });
    return askedKey();
  };

  it('reaches the channel that made it with the parameters of its kind, and costs nothing', async () => {
    for (let round = 0; round < 6; round += 1) {
      const id = `resp_${round}`;
      const made = await store(id);
      const before = await gate.readBalance(caller);
      const rows = await gate.core.store.db.selectFrom('logs').select('id').execute();
      answering(id);
      expect(await sdk.responses.retrieve(id, { include: ['reasoning.encrypted_content'] })).toMatchObject({
        id,
      });
      gate.upstream.next(json({ object: 'list', data: [{ id: 'msg_1', type: 'message' }], has_more: false }));
      expect((await sdk.responses.inputItems.list(id, { limit: 5 })).data).toMatchObject([{ id: 'msg_1' }]);
      answering(id);
      expect(await sdk.responses.cancel(id)).toMatchObject({ id });
      gate.upstream.next(json({ id, object: 'response', deleted: true }));
      await sdk.responses.delete(id);
      const asked = gate.upstream.requests.slice(-4);
      expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
        `GET /v1/responses/${id}?include%5B%5D=reasoning.encrypted_content`,
        `GET /v1/responses/${id}/input_items?limit=5`,
        `POST /v1/responses/${id}/cancel`,
        `DELETE /v1/responses/${id}`,
      ]);
      for (const { headers, body } of asked) {
        expect(headers.authorization).toBe(`Bearer ${made}`);
        expect(body.length).toBe(0);
      }
      expect(await readFailure(sdk.responses.retrieve(id))).toMatchObject({ status: 404 });
      expect(await gate.readBalance(caller)).toEqual(before);
      await gate.core.ledger.flush();
      expect(await gate.core.store.db.selectFrom('logs').select('id').execute()).toEqual(rows);
    }
  });

  it('passes a resumed stream as it comes', async () => {
    await store('resp_1');
    const response = responseOf('resp_1', true);
    gate.upstream.next(
      typedEvents(
        { type: 'response.output_text.delta', sequence_number: 4, delta: 'there' },
        { type: 'response.completed', sequence_number: 5, response },
      ),
    );
    const types: string[] = [];
    for await (const event of await sdk.responses.retrieve('resp_1', { stream: true, starting_after: 3 }))
      types.push(event.type);
    expect(types).toEqual(['response.output_text.delta', 'response.completed']);
    expect(gate.upstream.requests.at(-1)!.path).toBe('/v1/responses/resp_1?stream=true&starting_after=3');
  });

  it('is a 404 for a response that is unknown, somebody else’s, or whose channel is off', async () => {
    const id = keys.indexOf(await store('resp_1')) + 1;
    const other = await gate.addCaller();
    const sent = gate.upstream.requests.length;
    const calls: ((client: OpenAI, id: string) => Promise<unknown>)[] = [
      (client, each) => client.responses.retrieve(each),
      (client, each) => client.responses.cancel(each),
      (client, each) => client.responses.delete(each),
      (client, each) => client.responses.inputItems.list(each),
    ];
    const missing = { status: 404, code: 'response_not_found', param: 'id', type: 'invalid_request_error' };
    for (const call of calls) {
      expect(await readFailure(call(sdk, 'resp_never_made'))).toMatchObject(missing);
      expect(await readFailure(call(clientOf(other), 'resp_1'))).toMatchObject(missing);
    }
    await gate.core.channels.update({ id, status: 2 });
    for (const call of calls) expect(await readFailure(call(sdk, 'resp_1'))).toMatchObject(missing);
    expect(gate.upstream.requests).toHaveLength(sent);
  });

  it('passes a refusal of the vendor without the channel’s key, and keeps the key of the caller', async () => {
    const made = await store('resp_1');
    const refused = {
      message: `Cannot cancel a synchronous response. ${made}`,
      type: 'invalid_request_error',
    };
    gate.upstream.next(json({ error: refused }, 400));
    const failed = await readFailure(sdk.responses.cancel('resp_1'));
    expect(failed).toMatchObject({
      status: 400,
      message: expect.stringContaining('Cannot cancel a synchronous response.') as string,
    });
    expect(JSON.stringify(failed)).not.toContain(made);
    answering('resp_1');
    await fetch(`${gate.url}/v1/responses/resp_1?key=${caller.key}&limit=2`);
    const { path, headers } = gate.upstream.requests.at(-1)!;
    expect(path).toBe('/v1/responses/resp_1?limit=2');
    expect(JSON.stringify(headers)).not.toContain(caller.key);
  });
});

it('refuses to count the input after a response that is not the caller’s', async () => {
  answering('resp_1');
  await sdk.responses.create({ model, input: 'hi' });
  const other = clientOf(await gate.addCaller());
  for (const id of ['resp_1', 'resp_never_made'])
    expect(
      await readFailure(other.responses.inputTokens.count({ model, input: 'on', previous_response_id: id })),
    ).toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' });
});

it('counts the input of a response without a call of the model', async () => {
  const { object, input_tokens: counted } = await sdk.responses.inputTokens.count({
    model,
    input: 'Hello there',
  });
  expect(object).toBe('response.input_tokens');
  expect(counted).toBeGreaterThan(1);
  expect(gate.upstream.requests).toHaveLength(0);
});

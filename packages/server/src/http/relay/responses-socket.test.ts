import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeTestCertificate, trustCertificate } from '@tollgate/http-engine/testing';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ClientStream } from '../../gateway/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';
import { typedEvents } from '../../testing/upstream/fake-upstream-media.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
const native = 'gpt-4o-mini';
const translated = 'mistral-small';

/** A response of OpenAI's, as a stream. */
const responding = (id: string, text: string, store: boolean) => {
  const message = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  };
  const response = { id, object: 'response', status: 'completed', model: native, store, output: [message] };
  return typedEvents(
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: text },
    {
      type: 'response.completed',
      response: { ...response, usage: { input_tokens: 1_000, output_tokens: 1_000, total_tokens: 2_000 } },
    },
  );
};
const sent = (): JsonObject => JSON.parse(gate.upstream.requests.at(-1)!.body.toString()) as JsonObject;

/** A connection, and what it has received; `ask` resolves to the last event of an answer. */
async function connect(key = caller.key) {
  const socket = new WebSocket(`${gate.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'of-the-handshake' },
  });
  const events: JsonObject[] = [];
  let onEvent = (): void => undefined;
  socket.on('message', (data: Buffer) => {
    events.push(JSON.parse(data.toString()) as JsonObject);
    onEvent();
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const isEnd = ({ type }: JsonObject): boolean =>
    type === 'error' || type === 'response.completed' || type === 'response.incomplete';
  return {
    socket,
    events,
    send: (message: object) => socket.send(JSON.stringify(message)),
    ask: (message: object): Promise<JsonObject> => {
      const before = events.length;
      socket.send(JSON.stringify(message));
      return new Promise((resolve) => {
        onEvent = () => {
          const end = events.slice(before).find(isEnd);
          if (end) resolve(end);
        };
      });
    },
  };
}
const create = (model: string, input: string, more: object = {}) => ({
  type: 'response.create',
  model,
  input,
  ...more,
});
const idOf = ({ response }: JsonObject): string => (response as { id: string }).id;

beforeEach(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: native });
  await gate.addChannel({ type: 42, models: translated });
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  caller = await gate.addCaller();
});
afterEach(async () => {
  await gate.core.ledger.flush();
  await expect.poll(() => gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

describe('Responses over a WebSocket', () => {
  it('are calls of one connection, each with its own hold, charge and log row', async () => {
    const { socket, events, ask } = await connect();
    gate.upstream.next(responding('resp_1', 'one', true), responding('resp_2', 'two', true));
    expect(await ask(create(native, 'first'))).toMatchObject({ type: 'response.completed' });
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.output_text.delta',
      'response.completed',
    ]);
    expect(sent()).toEqual({ model: native, input: 'first', stream: true });
    await ask(create(native, 'second', { previous_response_id: 'resp_1' }));
    // OpenAI has that response.
    expect(sent()).toMatchObject({ previous_response_id: 'resp_1', input: 'second' });
    await gate.core.ledger.flush();
    const rows = await gate.core.store.db.selectFrom('logs').select('quota').where('type', '=', 2).execute();
    expect(rows).toEqual([{ quota: 375 }, { quota: 375 }]);
    expect((await gate.readBalance(caller)).balance).toBe(5_000_000 - 750);
    socket.close();
  });

  it('continue a response that nobody stores, on channels of every protocol', async () => {
    const { socket, ask } = await connect();
    gate.upstream.next(responding('resp_1', 'It is blue.', false), responding('resp_2', 'So.', false));
    await ask(create(native, 'Which colour?', { store: false }));
    await ask(create(native, 'Why?', { store: false, previous_response_id: 'resp_1' }));
    expect(sent()).not.toHaveProperty('previous_response_id');
    for (const text of ['Which colour?', 'It is blue.', 'Why?'])
      expect(JSON.stringify(sent())).toContain(text);
    gate.upstream.next(
      chat({ chunks: 1, text: () => 'It is dark.' }),
      chat({ chunks: 1, text: () => 'End.' }),
    );
    const third = await ask(create(translated, 'At night?', { previous_response_id: 'resp_2' }));
    await ask(create(translated, 'Really?', { previous_response_id: idOf(third) }));
    for (const text of ['Which colour?', 'It is blue.', 'So.', 'At night?', 'It is dark.', 'Really?'])
      expect(JSON.stringify(sent())).toContain(text);
    const other = await connect((await gate.addCaller()).key);
    expect(await other.ask(create(native, 'on', { previous_response_id: idOf(third) }))).toMatchObject({
      type: 'error',
      status: 400,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    });
    socket.close();
    other.socket.close();
  });

  it('wait for each other, and end at the vendor when their caller leaves', async () => {
    const { socket, events, send } = await connect();
    gate.upstream.next(responding('resp_1', 'one', true), chat({ chunks: 400, paceMs: 20 }));
    send(create(native, 'first'));
    send(create(translated, 'second'));
    await expect.poll(() => gate.upstream.requests.length).toBe(2);
    await expect
      .poll(() => events.filter(({ type }) => type === 'response.output_text.delta').length)
      .toBeGreaterThan(2);
    expect(events.findIndex(({ type }) => type === 'response.completed')).toBe(2);
    socket.close();
    await expect.poll(() => gate.upstream.requests[1]!.cutByPeer, { timeout: 10_000 }).toBe(true);
    await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  });

  it('count as bodies while they wait, and are free when their caller leaves', async () => {
    const { socket, send } = await connect();
    gate.upstream.next(chat({ chunks: 400, paceMs: 20 }));
    send(create(translated, 'first'));
    await expect.poll(() => gate.upstream.requests.length).toBe(1);
    const long = create(translated, 'x'.repeat(4_000_000));
    for (let count = 0; count < 3; count += 1) send(long);
    await expect.poll(() => gate.relay.bodyBytes()).toBeGreaterThan(12_000_000);
    socket.close();
    await expect.poll(() => gate.relay.bodyBytes(), { timeout: 10_000 }).toBe(0);
  });

  it('end with an answer that breaks off: what waits is not sent', async () => {
    const { socket, send } = await connect();
    const code = new Promise((resolve) => socket.once('close', resolve));
    const finish = vi.spyOn(ClientStream.prototype, 'finish').mockImplementationOnce(function (
      this: ClientStream,
    ) {
      this.destroy();
    });
    gate.upstream.next(responding('resp_1', 'one', true), responding('resp_2', 'two', true));
    send(create(native, 'first'));
    send(create(native, 'second'));
    expect(await code).toBe(1011);
    finish.mockRestore();
    await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
    expect(gate.upstream.requests).toHaveLength(1);
  });

  it('answer what cannot be done with an error, and go on', async () => {
    const { socket, ask } = await connect();
    for (const [message, code] of [
      [{ type: 'response.steer' }, 'api_not_implemented'],
      [create('gpt-nothing', 'x'), 'model_not_found'],
      [create(native, 'x', { background: true }), 'invalid_api_type'],
      [{ type: 'response.create', input: 'x' }, 'invalid_responses_request'],
    ] as const)
      expect(await ask(message)).toMatchObject({ type: 'error', error: { code } });
    socket.send('no json');
    gate.upstream.next(responding('resp_1', 'one', true));
    expect(await ask(create(native, 'x'))).toMatchObject({ type: 'error', code: 'invalid_json' });
    socket.close();
  });

  it('begin with a conversation that is sent before, which is free', async () => {
    const { socket, ask } = await connect();
    const warm = await ask(create(translated, 'You know birds.', { generate: false }));
    expect(warm).toMatchObject({ type: 'response.completed', response: { output: [] } });
    expect(gate.upstream.requests).toHaveLength(0);
    gate.upstream.next(chat({ chunks: 1, text: () => 'Yes.' }));
    await ask(create(translated, 'Do they fly?', { previous_response_id: idOf(warm) }));
    for (const text of ['You know birds.', 'Do they fly?']) expect(JSON.stringify(sent())).toContain(text);
    socket.close();
  });

  it('need a key, and a plain GET is told to upgrade', async () => {
    await expect(connect('sk-nobody')).rejects.toThrow('401');
    const answer = await fetch(`${gate.url}/v1/responses`, {
      headers: { authorization: `Bearer ${caller.key}` },
    });
    expect(answer.status).toBe(426);
  });

  it('work with OpenAI’s client', async () => {
    const certificate = makeTestCertificate();
    const undo = trustCertificate(certificate.cert);
    const { relay } = gate;
    const server = createServer({ ...certificate, shouldUpgradeCallback: relay.upgrades.takes });
    server.on('upgrade', relay.upgrades.upgrade);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseURL = `https://localhost:${(server.address() as AddressInfo).port}/v1`;
    const client = new ResponsesWS(new OpenAI({ apiKey: caller.key, baseURL }));
    gate.upstream.next(responding('resp_1', 'hello', true));
    const heard = await new Promise((resolve, reject) => {
      client.on('response.completed', ({ response }) => resolve(response.id));
      client.on('error', reject);
      client.send({ type: 'response.create', model: native, input: 'hi' });
    });
    expect(heard).toBe('resp_1');
    client.close();
    server.close();
    undo();
  });
});

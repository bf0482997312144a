import { type CostRule, noCostRule } from '@tollgate/contract';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChannelTraffics } from '../../services/calls/metering/index.ts';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import * as faults from '../../testing/upstream/fake-upstream-faults.ts';
import { healthy, json } from '../../testing/upstream/fake-upstream-scripts.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;

/** Two answers in one request: OpenAI's protocol supports it, Anthropic's does not. */
const askForTwo = {
  model: 'gpt-4o-mini',
  n: 2,
  messages: [{ role: 'user' as const, content: 'Say something.' }],
};

beforeEach(async () => {
  gate = await openGateway();
  caller = await gate.addCaller();
  sdk = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

describe('a channel whose protocol lacks what the caller asks for', () => {
  it('is skipped for one that has it, without a retry or a mark against the channel', async () => {
    expect(gate.core.settings.get('RetryTimes')).toBe(0);
    const unable = await gate.addChannel({ name: 'of another protocol', type: 14, priority: 10 });
    const able = await gate.addChannel({ name: 'of the same', priority: 5 });
    // Five consecutive failures would suspend a channel.
    for (let round = 0; round < 6; round += 1) await sdk.chat.completions.create(askForTwo);
    expect(gate.upstream.requests).toHaveLength(6);
    const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
    expect(rows[0]?.channel_id).toBe(able);
    const { admin_info: info } = JSON.parse(rows[0]!.other) as { admin_info: { use_channel: string[] } };
    expect(info.use_channel).toEqual([String(unable), String(able)]);
    expect(gate.core.routing.choose({ group: 'default', model: 'gpt-4o-mini' }, new Set())?.id).toBe(unable);
  });

  it('refuses the call when no other channel has it, and costs nothing', async () => {
    await gate.addChannel({ name: 'one', type: 14, priority: 10 });
    await gate.addChannel({ name: 'two', type: 14, priority: 5 });
    const failed = await sdk.chat.completions.create(askForTwo).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failed).toMatchObject({ code: 'cannot_translate' });
    expect(gate.upstream.requests).toHaveLength(0);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('does not hide why an earlier channel failed', async () => {
    await gate.core.settings.set('RetryTimes', '3');
    await gate.addChannel({ name: 'able', priority: 10 });
    await gate.addChannel({ name: 'unable', type: 14, priority: 5 });
    gate.upstream.script('refuse-500');
    const failed = await sdk.chat.completions.create(askForTwo).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
  });
});

describe('what a call reports of its channels', () => {
  it('is the outcome of each attempt', async () => {
    await gate.core.settings.set('RetryTimes', '1');
    const first = await gate.addChannel({ name: 'one', priority: 10 });
    const second = await gate.addChannel({ name: 'two', priority: 5 });
    gate.upstream.next('refuse-429');
    await sdk.chat.completions.create(askForTwo);
    const { reports } = gate.core.store;
    const traffic = await createChannelTraffics({ reports, errorsLogged: () => true }).since(0);
    expect([...traffic.channels.keys()].toSorted((a, b) => a - b)).toEqual([first, second]);
    expect(traffic.channels.get(first)).toEqual({
      tries: 1,
      failed: 1,
      first_byte_ms: null,
      answered_time: 0,
    });
    expect(traffic.channels.get(second)).toMatchObject({ tries: 1, failed: 0 });
    expect(traffic.channels.get(second)?.answered_time).toBeGreaterThan(0);
  });
});

describe('what a vendor says of the operator’s account', () => {
  const ids = ['org-AbCdEf0123456789abcdef', 'proj_AbCdEf0123456789abcdef'];
  const message = `Rate limit reached in organization ${ids[0]}, project ${ids[1]}: limit 30000.`;
  it.each([
    [429, '/v1/chat/completions'],
    [429, '/v1/messages'],
    [400, '/v1/chat/completions'],
    [404, '/v1/responses'],
  ])('is hidden from callers in an error %i at %s', async (status, path) => {
    await gate.addChannel();
    gate.upstream.script(json({ error: { message, type: 'requests', code: 'x', help: ids[0] } }, status));
    const answer = await fetch(`${gate.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: askForTwo.model,
        ...(path === '/v1/responses' ? { input: 'hi' } : { messages: askForTwo.messages, max_tokens: 5 }),
      }),
    });
    const text = await answer.text();
    expect(answer.status).toBe(status);
    expect(text).toContain('limit 30000.');
    for (const id of ids) expect(text).not.toContain(id);
  });
});

describe('the policy sticky', () => {
  const callOf = (session: string) =>
    sdk.chat.completions.create({
      model: 'gpt-4o-mini',
      prompt_cache_key: session,
      messages: [{ role: 'user', content: 'Say something.' }],
    });
  const keysSent = () => gate.upstream.requests.map(({ headers }) => headers.authorization);

  it('sends a session to one channel and key, and to another one alone while that fails', async () => {
    await gate.core.settings.set('RoutingPolicies', '{"gpt-*": "sticky"}');
    await gate.core.settings.set('RetryTimes', '1');
    for (const name of ['a', 'b', 'c'])
      await gate.addChannel({ name, mode: 'multi_to_single', key: `sk-${name}-one\nsk-${name}-two` });
    for (let turn = 0; turn < 5; turn += 1) await callOf('one');
    const [home] = keysSent();
    expect(new Set(keysSent())).toEqual(new Set([home]));
    for (let session = 0; session < 40; session += 1) await callOf(`session ${session}`);
    expect(new Set(keysSent()).size).toBeGreaterThan(3);

    gate.upstream.script((exchange) =>
      (exchange.headers.authorization === home ? faults.refuse(500, { message: 'down' }) : healthy())(
        exchange,
      ),
    );
    const before = keysSent().length;
    await callOf('one');
    expect(keysSent()[before]).toBe(home);
    expect(keysSent()[before + 1]).not.toBe(home);
    gate.upstream.script(healthy());
    await callOf('one');
    expect(keysSent().at(-1)).toBe(home);
  });
});

it('the policy cheapest follows each change of cost prices and of list prices', async () => {
  const { settings, costs } = gate.core;
  await settings.set('RoutingPolicies', '{"*": "cheapest"}');
  const byFactor = await gate.addChannel({ name: 'part of the list price' });
  const byTable = await gate.addChannel({ name: 'own prices' });
  const save = (channel: number, rule: Partial<CostRule>) => costs.save(channel, { ...noCostRule, ...rule });
  const chosen = async () => {
    await sdk.chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] });
    await gate.core.ledger.flush();
    const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
    return rows[0]!.channel_id;
  };
  await save(byFactor, { factor: 0.5 });
  await save(byTable, { models: { 'gpt-4o-mini': { input: 0.1, output: 0.4 } } });
  expect(await chosen()).toBe(byFactor);
  await save(byFactor, { factor: 2 });
  expect(await chosen()).toBe(byTable);
  await settings.set('ModelRatio', '{"gpt-4o-mini": 0.01}');
  expect(await chosen()).toBe(byFactor);
});

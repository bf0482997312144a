import { channelChange, product } from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { addBudget } from '../../services/money/ledger/testing/test-bed.ts';
import { budgets, logs } from '../../store/index.ts';
import {
  type CallerOptions,
  type GatewayHarness,
  openGateway,
  type TestCaller,
} from '../../testing/gateway-harness.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { RealtimeClient } from '../../testing/realtime-client.ts';

// Keys of the group auto: each call is served and billed in the first group of AutoGroups that has a channel for it.

let gate: GatewayHarness;
let added: number[] = [];
/** Quota units of a call at ratio 1. */
const price = 100;

beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  await gate.core.settings.setMany({
    ModelPrice: JSON.stringify({ one: price / 500_000, two: price / 500_000, 'sandbox-video': 0.01 }),
    GroupRatio: '{"default":1,"cheap":0.5,"dear":3,"hidden":1,"own":2}',
    UserUsableGroups: '{"cheap":"","dear":"","gone":""}',
    AutoGroups: '["auto","hidden","gone","cheap","dear"]',
  });
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.core.channels.remove(added);
  added = [];
});
afterAll(() => gate.close());

async function offer(group: string, models = 'one', more: object = {}): Promise<number> {
  const id = await gate.addChannel({ models, group, ...more });
  added.push(id);
  return id;
}

async function addAuto(options: Partial<CallerOptions> = {}): Promise<TestCaller> {
  const caller = await gate.addCaller(options);
  await gate.core.store.db
    .updateTable('tokens')
    .set({ group: 'auto' })
    .where('id', '=', caller.tokenId)
    .execute();
  return caller;
}

const messages = [{ role: 'user', content: 'hi' }];
const send = (caller: TestCaller, path: string, body?: object, headers: Record<string, string> = {}) =>
  fetch(gate.url + path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...headers },
  });
const chat = (caller: TestCaller, headers: Record<string, string> = {}) =>
  send(caller, '/v1/chat/completions', { model: 'one', messages }, headers);

async function lastRow({ userId }: TestCaller) {
  await gate.core.ledger.flush();
  const { rows } = await logs.list(gate.core.store.db, { userId }, { offset: 0, limit: 1 });
  const { group, quota, channel_id: channel, other } = rows[0]!;
  const { group_ratio: ratio } = JSON.parse(other) as { group_ratio?: number };
  return { group, quota, channel, ratio };
}

describe('a key of the group auto', () => {
  it('is served and billed in the first group with a channel, and its quote and explanation name that', async () => {
    await offer('hidden');
    await offer('gone');
    const dear = await offer('dear', 'one', { priority: 100 });
    const caller = await addAuto({ role: 10 });
    await (await chat(caller)).text();
    expect(await lastRow(caller)).toEqual({ group: 'dear', quota: 3 * price, channel: dear, ratio: 3 });
    const cheap = await offer('cheap');
    await (await chat(caller)).text();
    expect(await lastRow(caller)).toEqual({ group: 'cheap', quota: price / 2, channel: cheap, ratio: 0.5 });
    expect(
      await (await send(caller, '/v1/quote', { model: 'one', messages, max_tokens: 5 })).json(),
    ).toMatchObject({
      group: 'cheap',
      least: { quota: price / 2 },
      most: { quota: price / 2 },
    });
    expect(await (await chat(caller, { [product.headers.explain]: 'dry' })).json()).toMatchObject({
      group: 'cheap',
      steps: [{ serves: true }],
    });
  });

  it('passes over a group whose channels have no price for the call, or are off', async () => {
    await offer('cheap', 'one', {
      model_mapping: '{"one":"unpriced"}',
      setting: '{"price_after_mapping":true}',
    });
    const off = await offer('cheap');
    await gate.core.channels.update(channelChange.parse({ id: off, status: 2 }));
    const caller = await addAuto();
    const dear = await offer('dear');
    await (await chat(caller)).text();
    expect(await lastRow(caller)).toMatchObject({ channel: dear });
  });

  it('stays in its group when the channel there fails', async () => {
    await offer('cheap');
    await offer('dear');
    const caller = await addAuto();
    gate.upstream.next('refuse-500');
    expect((await chat(caller)).status).toBe(500);
    expect(await gate.readBalance(caller)).toMatchObject({ held: 0 });
  });

  it('lists the models of all its groups', async () => {
    await offer('cheap', 'one');
    await offer('dear', 'two,unpriced');
    await offer('hidden', 'gpt-4o');
    const answer = await send(await addAuto(), '/v1/models');
    const { data } = (await answer.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('may be in the caller’s own group, which needs no offer', async () => {
    await gate.core.settings.set('AutoGroups', '["own","cheap"]');
    const own = await offer('own');
    await offer('cheap');
    const caller = await addAuto({ group: 'own' });
    await (await chat(caller)).text();
    expect(await lastRow(caller)).toMatchObject({ group: 'own', channel: own, quota: 2 * price });
    await gate.core.settings.set('AutoGroups', '["auto","hidden","gone","cheap","dear"]');
  });

  it('is refused with the reason where it may use none of the groups, or none has the model', async () => {
    await offer('hidden');
    const caller = await addAuto();
    const none = await chat(caller, { 'accept-language': 'en' });
    expect([none.status, await none.text()]).toEqual([503, expect.stringContaining('cheap')]);
    await gate.core.settings.set('AutoGroups', '["hidden"]');
    const refused = await chat(caller, { 'accept-language': 'en' });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('The group auto has no group that you may use'),
    ]);
    await gate.core.settings.set('AutoGroups', '["auto","hidden","gone","cheap","dear"]');
  });

  it('is limited by the rates and the budgets of the group of each call', async () => {
    await offer('cheap', 'one');
    await offer('dear', 'two');
    await gate.core.settings.setMany({
      ModelRequestRateLimitEnabled: 'true',
      ModelRequestRateLimitGroup: '{"dear":[0,1]}',
    });
    const caller = await addAuto();
    const statusOf = async (model: string) => {
      const answer = await send(caller, '/v1/chat/completions', { model, messages });
      await answer.text();
      return answer.status;
    };
    expect([await statusOf('two'), await statusOf('two'), await statusOf('one')]).toEqual([200, 429, 200]);
    await gate.core.settings.set('ModelRequestRateLimitEnabled', 'false');
    const id = await addBudget(gate.core.store, 3 * price, {
      user_id: caller.userId,
      group: 'dear',
    });
    await gate.core.budgetRules.reload();
    expect([
      await statusOf('one'),
      await statusOf('two'),
      await statusOf('two'),
      await statusOf('one'),
    ]).toEqual([200, 200, 403, 200]);
    await gate.core.ledger.flush();
    expect(await budgets.find(gate.core.store.db, id)).toMatchObject({ used: 3 * price, held: 0 });
  });

  it('continues a stored response in the group of the channel that made it', async () => {
    const dear = await offer('dear');
    const caller = await addAuto();
    const respond = async (more: object = {}) => {
      const usage = { input_tokens: 3, output_tokens: 1, total_tokens: 4 };
      const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'one', store: true };
      gate.upstream.next(json({ ...response, output: [], usage }));
      return (await send(caller, '/v1/responses', { model: 'one', input: 'hi', ...more })).text();
    };
    await respond();
    await offer('cheap');
    await respond({ previous_response_id: 'resp_1' });
    expect(await lastRow(caller)).toMatchObject({ group: 'dear', channel: dear, quota: 3 * price });
    expect((await send(caller, '/v1/responses/resp_1')).status).not.toBe(403);
  });

  it('counts tokens, makes videos and opens sessions in the first group that can', async () => {
    // Anthropic makes no videos.
    await offer('cheap', 'sandbox-video', { type: 14 });
    const own = { type: sandbox.type, base_url: '' };
    const dear = await offer('dear', sandbox.models.join(','), own);
    const caller = await addAuto();
    const counted = await send(caller, '/v1/messages/count_tokens', { model: 'sandbox', messages });
    expect(await counted.json()).toMatchObject({ input_tokens: expect.any(Number) });
    const video = await send(caller, '/v1/videos', { model: 'sandbox-video', prompt: 'a cat' });
    expect([video.status, await video.text()]).toEqual([200, expect.stringContaining('sandbox-video')]);
    expect(await lastRow(caller)).toMatchObject({ group: 'dear', channel: dear, ratio: 3 });
    const client = await RealtimeClient.open(`${gate.url.replace('http', 'ws')}/v1/realtime?model=sandbox`, {
      headers: { authorization: `Bearer ${caller.key}` },
    });
    await client.respond();
    await client.leave();
    expect(await lastRow(caller)).toMatchObject({ group: 'dear', ratio: 3 });
  });
});

import { product, role } from '@tollgate/contract';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type JsonObject, textOf } from '../lib/json.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';
import { addTeam, addTeamCaller } from '../testing/teams/team-world.ts';
import { openVideoWorld } from '../testing/upstream/tasks/video-world.ts';
import * as faults from '../testing/upstream/fake-upstream-faults.ts';
import { healthy, json } from '../testing/upstream/fake-upstream-scripts.ts';

// A rule of a key or an organisation names the channels that its calls may reach: by region, and by retention.

interface Rule {
  regions?: string;
  no_retention?: number;
}

let gate: GatewayHarness;
let added: number[] = [];
const model = 'gpt-4o-mini';
const priced = {
  [model]: 0.00002,
  second: 0.00002,
  'sora-2': 0.00002,
  mj_imagine: 0.00002,
  suno_music: 0.00002,
};

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.setMany({
    ModelPrice: JSON.stringify({ ...priced, 'gpt-4o-realtime-preview': 0.00002 }),
    ModelFallbacks: JSON.stringify({ [model]: ['second'] }),
    RetryTimes: '3',
  });
});
afterEach(async () => {
  gate.upstream.script(healthy());
  await gate.checkAtRest();
  await gate.core.channels.remove(added);
  added = [];
});
afterAll(() => gate.close());

/** Adds a channel whose key is its name. */
async function offer(name: string, marks: object, more: object = {}): Promise<number> {
  const id = await gate.addChannel({
    name,
    key: name,
    setting: JSON.stringify(marks),
    models: model,
    ...more,
  });
  added.push(id);
  return id;
}

async function setRule(table: 'tokens' | 'teams', id: number, rule: Rule): Promise<void> {
  await gate.core.store.db
    .updateTable(table)
    .set({ regions: '', no_retention: 0, ...rule })
    .where('id', '=', id)
    .execute();
  gate.core.keys.forgetAll();
}

async function callerWith(rule: Rule, options: { role?: number } = {}): Promise<TestCaller> {
  const caller = await gate.addCaller(options);
  await setRule('tokens', caller.tokenId, rule);
  return caller;
}

const messages = [{ role: 'user', content: 'hi' }];

async function ask(key: string, path: string, body?: JsonObject, headers: Record<string, string> = {}) {
  const answer = await fetch(gate.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}
const chat = (key: string) => ask(key, '/v1/chat/completions', { model, messages });

/** The keys of the channels that were asked since a number of requests. */
const keysSince = (before: number): string[] =>
  gate.upstream.requests.slice(before).map(({ headers }) => String(headers.authorization).slice(7));

describe('a call whose rule no channel fits', () => {
  const paths: [path: string, body: JsonObject, type?: number][] = [
    ['/v1/chat/completions', { model, messages }],
    ['/v1/chat/completions', { model, messages, stream: true }],
    ['/v1/completions', { model, prompt: 'hi' }],
    ['/v1/responses', { model, input: 'hi' }],
    ['/v1/messages', { model, max_tokens: 5, messages }],
    ['/v1/messages/count_tokens', { model, messages }],
    ['/v1/embeddings', { model, input: 'hi' }],
    ['/v1/images/generations', { model, prompt: 'hi' }],
    [`/v1beta/models/${model}:generateContent`, { contents: [{ parts: [{ text: 'hi' }] }] }],
    ['/v1/videos', { model: 'sora-2', prompt: 'a cat' }, 55],
    ['/mj/submit/imagine', { prompt: 'a cat' }, 5],
    ['/suno/submit/music', { prompt: 'a song' }, 36],
  ];
  it.each(paths)('%s is refused by the name of the rule, for nothing', async (path, body, type = 1) => {
    await offer('us', { region: 'us' }, { type, models: Object.keys(priced).join(',') });
    await offer('unmarked', {}, { type, models: Object.keys(priced).join(',') });
    const caller = await callerWith({ regions: 'eu,ch', no_retention: 1 });
    const before = gate.upstream.requests.length;
    const { status, text } = await ask(caller.key, path, body);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain('regions=eu,ch no_retention');
    expect(gate.upstream.requests).toHaveLength(before);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('opens no realtime session', async () => {
    await offer('us', { region: 'us' }, { models: 'gpt-4o-realtime-preview' });
    const { key } = await callerWith({ regions: 'eu' });
    const address = `${gate.url.replace('http', 'ws')}/v1/realtime?model=gpt-4o-realtime-preview`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } });
    const said = await new Promise<string>((resolve) => {
      socket.on('unexpected-response', (_, response) => response.on('data', (part) => resolve(String(part))));
      socket.on('message', (data: Buffer) => resolve(data.toString()));
      socket.on('error', () => undefined);
    });
    socket.terminate();
    expect(said).toContain('regions=eu');
  });

  it('reaches no selected channel, also with an administrator’s key', async () => {
    const us = await offer('us', { region: 'us' });
    const eu = await offer('eu', { region: 'eu' });
    const { key } = await callerWith({ regions: 'eu' }, { role: role.admin });
    const before = gate.upstream.requests.length;
    expect(await chat(`${key}-${us}`)).toMatchObject({ status: 403 });
    expect(await chat(`${key}-${eu}`)).toMatchObject({ status: 200 });
    expect(keysSince(before)).toEqual(['eu']);
  });

  it('neither continues nor reads a response that another channel made before', async () => {
    await offer('us', { region: 'us' });
    const caller = await callerWith({});
    const id = 'resp_before';
    const usage = { input_tokens: 3, output_tokens: 1, total_tokens: 4 };
    gate.upstream.next(json({ id, object: 'response', status: 'completed', store: true, output: [], usage }));
    expect(await ask(caller.key, '/v1/responses', { model, input: 'hi' })).toMatchObject({ status: 200 });
    await setRule('tokens', caller.tokenId, { no_retention: 1 });
    await offer('none', { no_retention: true });
    const before = gate.upstream.requests.length;
    for (const { status, text } of [
      await ask(caller.key, '/v1/responses', { model, input: 'on', previous_response_id: id }),
      await ask(caller.key, `/v1/responses/${id}`),
    ]) {
      expect(status).toBe(403);
      expect(text).toContain('no_retention');
    }
    expect(gate.upstream.requests).toHaveLength(before);
  });
});

it('a video is not read from a channel that a later rule excludes', async () => {
  const world = await openVideoWorld();
  const { body } = await world.call('/v1/videos', { model: 'sora-2', prompt: 'a cat' });
  await world.report({ status: 'completed', progress: 100 });
  await world.gate.core.store.db.updateTable('tokens').set({ regions: 'eu' }).execute();
  world.gate.core.keys.forgetAll();
  const read = await world.call(`/v1/videos/${textOf(body.id)}/content`);
  expect(read).toMatchObject({ status: 403, body: { error: { code: 'channels_outside_rule' } } });
  await world.close();
});

describe('a call whose rule a channel fits', () => {
  it('is served by it at any priority, and by no other when it fails', async () => {
    await offer('us', { region: 'us' }, { priority: 10 });
    await offer('eu', { region: 'eu' });
    const { key } = await callerWith({ regions: 'eu' });
    const before = gate.upstream.requests.length;
    expect(await chat(key)).toMatchObject({ status: 200 });
    gate.upstream.script(faults.refuse(500, { message: 'down' }));
    expect(await chat(key)).toMatchObject({ status: 500 });
    expect(new Set(keysSince(before))).toEqual(new Set(['eu']));
  });

  it('has a fallback model on a permitted channel alone', async () => {
    await offer('us', { region: 'us' });
    await offer('us too', { region: 'us' }, { models: 'second', priority: 10 });
    await offer('eu', { region: 'eu' }, { models: 'second' });
    const { key } = await callerWith({ regions: 'eu' });
    const before = gate.upstream.requests.length;
    expect(await chat(key)).toMatchObject({ status: 200 });
    expect(keysSince(before)).toEqual(['eu']);
    expect((await ask(key, '/v1/models')).text).not.toContain(`"${model}"`);
    expect((await ask(key, '/v1/models')).text).toContain('"second"');
  });

  it('is explained with the reason against the others', async () => {
    const us = await offer('us', { region: 'us' });
    const kept = await offer('eu', { region: 'eu' });
    const eu = await offer('eu none', { region: 'eu', no_retention: true });
    const { key } = await callerWith({ regions: 'eu', no_retention: 1 }, { role: role.admin });
    const { text } = await ask(
      key,
      '/v1/chat/completions',
      { model, messages },
      { [product.headers.explain]: 'dry' },
    );
    const { steps } = JSON.parse(text) as { steps: { channels: { channel: number; reason: unknown }[] }[] };
    const reasons = new Map(steps[0]!.channels.map(({ channel, reason }) => [channel, reason]));
    expect([us, kept, eu].map((id) => reasons.get(id))).toEqual(['region', 'retention', null]);
  });
});

it('of an organisation holds for all of its keys, and a key can only narrow it', async () => {
  for (const region of ['eu', 'us', 'ch']) await offer(region, { region });
  const team = await addTeam(gate.core, 5_000_000);
  const { tokenId, key } = await addTeamCaller(gate, team);
  const reached = async (ofTeam: Rule, ofKey: Rule) => {
    await setRule('teams', team.id, ofTeam);
    await setRule('tokens', tokenId, ofKey);
    const before = gate.upstream.requests.length;
    for (let call = 0; call < 12; call += 1) await chat(key);
    return [...new Set(keysSince(before))].toSorted();
  };
  expect(await reached({ regions: 'eu' }, {})).toEqual(['eu']);
  expect(await reached({ regions: 'eu' }, { regions: 'eu,us' })).toEqual(['eu']);
  expect(await reached({ regions: 'eu,ch' }, { regions: 'ch' })).toEqual(['ch']);
  expect(await reached({ regions: 'eu' }, { regions: 'us' })).toEqual([]);
  expect(await reached({ no_retention: 1 }, { regions: 'us' })).toEqual([]);
});

const marks = fc.record(
  { region: fc.constantFrom('eu', 'us', 'ch'), no_retention: fc.boolean() },
  { requiredKeys: [] },
);
const rules = fc.record({
  regions: fc.subarray(['eu', 'us', 'ch']).map((names) => names.join(',')),
  no_retention: fc.nat({ max: 1 }),
});
const channels = fc.array(
  fc.record({ marks, priority: fc.nat({ max: 1 }), isDown: fc.boolean(), isSecond: fc.boolean() }),
  { minLength: 1, maxLength: 5 },
);

it('no call ever reaches a channel outside its rule, whatever fails', async () => {
  const team = await addTeam(gate.core, 50_000_000);
  const { tokenId, key } = await addTeamCaller(gate, team);
  const runs = Math.min(200, Number(process.env['FUZZ_RUNS'] ?? 25));
  await fc.assert(
    fc.asyncProperty(channels, rules, rules, async (fleet, ofTeam, ofKey) => {
      for (const [at, { marks: own, priority, isSecond }] of fleet.entries())
        await offer(`c${at}`, own, { priority, models: isSecond ? 'second' : model });
      await setRule('teams', team.id, ofTeam);
      await setRule('tokens', tokenId, ofKey);
      const down = new Set(fleet.flatMap(({ isDown }, at) => (isDown ? [`Bearer c${at}`] : [])));
      gate.upstream.script((exchange) =>
        (down.has(String(exchange.headers.authorization))
          ? faults.refuse(500, { message: 'down' })
          : healthy())(exchange),
      );
      const before = gate.upstream.requests.length;
      for (let call = 0; call < 3; call += 1) await chat(key);
      const fits = ({
        region = '',
        no_retention: none = false,
      }: {
        region?: string;
        no_retention?: boolean;
      }) =>
        [ofTeam, ofKey].every(
          (rule) =>
            (rule.regions === '' || rule.regions.split(',').includes(region)) &&
            (rule.no_retention === 0 || none),
        );
      const outside = keysSince(before).filter((name) => !fits(fleet[Number(name.slice(1))]!.marks));
      await gate.core.channels.remove(added);
      added = [];
      expect(outside).toEqual([]);
    }),
    { numRuns: runs },
  );
});

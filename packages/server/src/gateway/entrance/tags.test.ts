import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { addTeam, addTeamCaller } from '../../testing/teams/team-world.ts';
import { logs } from '../../store/index.ts';
import { maxTagValue, parseTags, writeTag } from '@tollgate/contract';
import type { Caller } from '../call/index.ts';
import { readTags } from './tags.ts';

let gate: GatewayHarness;
let caller: TestCaller;
beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  await gate.addChannel({ type: sandbox.type, base_url: '', models: sandbox.models.join(',') });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ sandbox: 0.5 }));
  caller = await gate.addCaller({ balance: 2_000_000_000 });
});
afterAll(async () => {
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

const words = [{ role: 'user', content: 'hi' }];
const calls = {
  chat: ['/v1/chat/completions', { model: 'sandbox', messages: words }],
  responses: ['/v1/responses', { model: 'sandbox', input: 'hi' }],
  messages: ['/v1/messages', { model: 'sandbox', max_tokens: 50, messages: words }],
  gemini: [
    '/v1beta/models/sandbox:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  ],
} as const;
const names = Object.keys(calls) as (keyof typeof calls)[];

const send = (protocol: keyof typeof calls, tags?: string, more: object = {}, key = caller.key) => {
  const [path, body] = calls[protocol];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(gate.url + path, {
    method: 'POST',
    headers: { ...headers, ...(tags !== undefined && { 'x-tollgate-tags': tags }) },
    body: JSON.stringify({ ...body, ...more }),
  });
};

/** Tags of the caller's newest row. */
async function newestTags(): Promise<unknown> {
  await gate.core.ledger.flush();
  const row = await gate.core.store.db
    .selectFrom('logs')
    .select('tags')
    .where('type', '=', 2)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.tags ? JSON.parse(row.tags) : undefined;
}

describe('tags of a call', () => {
  it.each(names)('come from the header in %s, and stand on the row', async (protocol) => {
    const answer = await send(protocol, 'team=search, env=prod ,batch, city=%E6%9D%AD%E5%B7%9E');
    expect(answer.status).toBe(200);
    await answer.text();
    expect(await newestTags()).toEqual({ team: 'search', env: 'prod', batch: '', city: '杭州' });
    const found = await gate.core.store.db
      .selectFrom('log_tags')
      .select('name')
      .where('value', '=', '杭州')
      .execute();
    expect(found.length).toBeGreaterThan(0);
  });

  it('come from what the vendors of each protocol take, and the header goes before', async () => {
    await (
      await send('chat', 'team=a', { user: 'u-1', metadata: { team: 'b', job: '7', 'not a name': 'x' } })
    ).text();
    expect(await newestTags()).toEqual({ team: 'a', user: 'u-1', job: '7' });
    await (await send('messages', undefined, { metadata: { user_id: 'u-2' } })).text();
    expect(await newestTags()).toEqual({ user: 'u-2' });
    await (await send('chat')).text();
    expect(await newestTags()).toBeUndefined();
  });

  it.each(names)('that cannot be kept whole are refused in the words of %s', async (protocol) => {
    const many = Array.from({ length: 17 }, (_, at) => `t${at}`).join(',');
    for (const header of [many, 'a b=c', '=x', `t=${'x'.repeat(maxTagValue + 1)}`, 't=%zz', '__proto__=1']) {
      const refused = await send(protocol, header);
      expect([header.slice(0, 9), refused.status]).toEqual([header.slice(0, 9), 400]);
      expect(await refused.text()).toContain('x-tollgate-tags');
    }
  });

  it('are cut where a body has more than is kept, because the vendor allows it', () => {
    const metadata = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`n${at}`, 'x'.repeat(500)]));
    const from = (headers: Record<string, string>) => ({ req: { headers }, caller: {} as Caller });
    const tags = readTags(from({ 'x-tollgate-tags': 'team=a' }), { user: 'b\0c\ud800', metadata }) ?? {};
    expect(Object.keys(tags)).toHaveLength(16);
    expect(tags).toMatchObject({ team: 'a', user: 'bc\ufffd' });
    expect(Math.max(...Object.values(tags).map((value) => value.length))).toBe(maxTagValue);
    expect(readTags(from({}), { metadata: { user_id: { a: 1 }, list: ['x'] }, user: '' })).toBeUndefined();
  });

  it('are written as they are read', () => {
    for (const [name, value] of [
      ['a', ''],
      ['team', 'search'],
      ['k', '100%, or = less'],
      ['c', '杭州'],
    ] as const)
      expect(parseTags(writeTag(name, value))).toEqual({ [name]: value });
  });
});

describe('sums by tag', () => {
  it('are what the calls of each value were charged, less what came back', async () => {
    const payer = await gate.addCaller({ balance: 2_000_000_000 });
    for (const tags of ['team=x,env=p', 'team=x', 'team=y', 'env=p', undefined])
      await (await send('chat', tags, {}, payer.key)).text();
    await gate.core.ledger.flush();
    const { db } = gate.core.store;
    const one = await db
      .selectFrom('logs')
      .select(['request_id', 'quota'])
      .where('user_id', '=', payer.userId)
      .where('tags', 'like', '%"y"%')
      .executeTakeFirstOrThrow();
    await logs.refund(db, [{ requestId: one.request_id, quota: 1 }]);
    const of = (name: string, filter: logs.LogFilter = {}) =>
      logs.sumsOfTag(db, name, { userId: payer.userId, ...filter }, 10);
    const { quota } = one;
    expect(await of('team')).toEqual([
      { value: 'x', quota: 2 * quota, refunded: 0, calls: 2 },
      { value: 'y', quota, refunded: 1, calls: 1 },
    ]);
    expect(await of('team', { tags: [{ name: 'env', value: 'p' }] })).toEqual([
      { value: 'x', quota, refunded: 0, calls: 1 },
    ]);
    expect(await of('team', { end: 1 })).toEqual([]);
    expect(await of('tea')).toEqual([]);
    const stat = await logs.stat(db, { userId: payer.userId, tags: [{ name: 'team', value: 'y' }] }, 0);
    expect(stat).toMatchObject({ quota, refunded: 1 });
    // The refund has no other row that gives its reason.
    await logs.refund(db, [{ requestId: one.request_id, quota: -1 }]);
  });
});

describe('required tags', () => {
  const require = (rules: object) => gate.core.settings.set('RequiredTags', JSON.stringify(rules));

  it.each(names)(
    'refuse a call without them in the words of %s, before anything is held',
    async (protocol) => {
      await require({ 'group:default': ['team', 'env'] });
      try {
        const refused = await send(protocol, 'team=a');
        expect(refused.status).toBe(400);
        const body = await refused.text();
        expect(body).toContain('env');
        expect(body).not.toContain('team,');
        expect(await gate.openHolds()).toBe(0);
        const answer = await send(protocol, 'team=a,env=b');
        expect(answer.status).toBe(200);
        await answer.text();
      } finally {
        await require({});
      }
    },
  );

  it('are those of its key, its group and its organisation together', async () => {
    const other = await gate.addCaller({ balance: 2_000_000_000 });
    const team = await addTeam(gate.core, 2_000_000_000);
    const member = await addTeamCaller(gate, team);
    await require({
      [`key:${caller.tokenId}`]: ['cost_center'],
      [`key:${member.tokenId}`]: ['job'],
      [`organisation:${team.id}`]: ['team'],
    });
    try {
      expect((await send('chat')).status).toBe(400);
      expect((await send('chat', undefined, { metadata: { cost_center: '12' } })).status).toBe(200);
      expect((await send('chat', undefined, {}, other.key)).status).toBe(200);
      for (const [tags, status] of [
        ['job=1', 400],
        ['team=a', 400],
        ['job=1,team=a', 200],
      ] as const) {
        const answer = await send('chat', tags, {}, member.key);
        await answer.text();
        expect([tags, answer.status]).toEqual([tags, status]);
      }
    } finally {
      await require({});
    }
    await expect(require({ somebody: ['team'] })).rejects.toMatchObject({
      code: expect.any(String) as string,
    });
  });
});

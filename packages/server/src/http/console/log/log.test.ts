import { type LogData, logApi, logType, type Page, role } from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { tokens } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

const tokenKey = 'k'.repeat(48);

describe('log calls', () => {
  let house: House;
  let admin: Agent;
  let ann: Agent;
  let bob: Agent;

  beforeAll(async () => {
    house = await openHouse({
      routes: operatorCalls,
    });
    admin = await house.person('admin', { role: role.admin });
    ann = await house.person('ann');
    bob = await house.person('bob');
  });
  afterAll(() => house.close());

  let tokenId = 0;
  beforeEach(async () => {
    const { db } = house.core.store;
    await house.core.logs.remove(Number.MAX_SAFE_INTEGER);
    tokenId ||= await tokens.create(db, {
      user_id: ann.userId,
      key_hash: sha256(tokenKey),
      key_sealed: '',
      key_hint: '',
      status: 1,
      name: 'laptop',
      created_time: 1,
      expired_time: -1,
      unlimited_quota: 1,
      model_limits_enabled: 0,
      model_limits: '',
      allow_ips: '',
      group: '',
      team_id: 0,
    });
    const row = {
      type: logType.consume,
      model_name: 'gpt-4o',
      other: '{"frt":1,"admin_info":{"use_channel":["1"]}}',
    };
    await house.core.logs.write({
      ...row,
      user_id: ann.userId,
      username: 'ann',
      content: 'of ann',
      quota: 30,
      token_id: tokenId,
      prompt_tokens: 5,
    });
    await house.core.logs.write({
      ...row,
      user_id: bob.userId,
      username: 'bob',
      content: 'of bob',
      quota: 12,
    });
  });

  const readItems = async (answer: Promise<unknown>) => ((await answer) as Page<LogData>).items;

  it('are exported in columns of FOCUS, to administrators those of all and to users their own', async () => {
    const read = async ({ headers }: Agent, url: string) => {
      const answer = await house.app.inject({ method: 'GET', url, headers });
      return { type: answer.headers['content-type'], lines: answer.body.split('\r\n').slice(1, -1) };
    };
    const all = await read(admin, '/api/log/focus');
    expect(all.type).toBe('text/csv; charset=utf-8');
    expect(all.lines).toHaveLength(2);
    expect((await read(admin, '/api/log/focus?username=bob')).lines).toHaveLength(1);
    const own = await read(ann, '/api/log/self/focus?username=bob');
    expect(own.lines).toEqual([expect.stringContaining('ann')]);
    expect((await read(ann, '/api/log/focus')).type).toContain('application/json');
    expect(await ann.must(logApi.ownFocus, { format: 'json' })).toMatchObject({ version: '1.2' });
  });

  it('show an administrator everything, page by page', async () => {
    const page = (await admin.must(logApi.list, { p: 1, page_size: 1 })) as Page<LogData>;
    expect(page).toMatchObject({ total: 2, exact: true, page: 1, page_size: 1 });
    expect(page.items[0]!.other).toContain('admin_info');
    const named = await readItems(admin.must(logApi.list, { username: 'ann' }));
    expect(named.map(({ content }) => content)).toEqual(['of ann']);
    expect(await admin.must(logApi.search, { keyword: 'of b' })).toHaveLength(1);
    expect(await admin.must(logApi.stat, {})).toEqual({
      quota: 42,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 2,
      tpm: 5,
    });
  });

  it('show a failed call in the language of its reader, and an upstream’s message unchanged', async () => {
    const failed = { type: logType.error, user_id: ann.userId, username: 'ann' };
    const other = (error_code: string) => JSON.stringify({ error_code });
    await house.core.logs.write({ ...failed, content: '任务不存在', other: other('task_not_found') });
    await house.core.logs.write({ ...failed, content: '上游说', other: other('vendor_code') });
    const english = { 'accept-language': 'en' };
    for (const [headers, words] of [
      [{}, '任务不存在'],
      [english, 'There is no such task'],
    ] as const) {
      const { body } = await ann.send({
        url: '/api/log/self?type=5',
        headers: { ...ann.headers, ...headers },
      });
      const { items } = body.data as Page<LogData>;
      expect(items.map(({ content }) => content)).toEqual(['上游说', words]);
    }
  });

  it('show a user their own rows only, whatever filter they send', async () => {
    const asked = { type: 0, p: 1, page_size: 10, username: 'bob', user_id: bob.userId };
    const own = await readItems(ann.must(logApi.ownList, asked));
    expect(own.map(({ content }) => content)).toEqual(['of ann']);
    expect(own[0]!.other).not.toContain('admin_info');
    expect(own[0]!.id).toBeLessThan(1024);
    expect(await ann.must(logApi.ownStat, asked)).toEqual({
      quota: 30,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 1,
      tpm: 5,
    });
    expect(await ann.must(logApi.ownSearch, { keyword: 'of' })).toHaveLength(1);
    for (const route of [logApi.list, logApi.stat, logApi.search]) {
      expect((await ann.call(route, {})).body.code).toBe('insufficient_role');
    }
    expect((await ann.call(logApi.remove, { target_timestamp: 1 })).body.code).toBe('insufficient_role');
    expect((await house.guest.call(logApi.ownList, {})).status).toBe(401);
  });

  it('find calls by tags and sum them up by a tag: a user their own, an administrator all', async () => {
    const tagged = {
      type: logType.consume,
      content: '',
      model_name: 'gpt-4o',
      tags: '{"team":"a","env":"prod"}',
    };
    await house.core.logs.write({ ...tagged, user_id: ann.userId, username: 'ann', quota: 7 });
    await house.core.logs.write({ ...tagged, user_id: bob.userId, username: 'bob', quota: 5, token_id: 9 });
    const sum = (quota: number, calls: number) => [{ value: 'a', quota, refunded: 0, calls }];
    expect(await admin.must(logApi.tagSums, { name: 'team' })).toEqual(sum(12, 2));
    expect(await admin.must(logApi.tagSums, { name: 'team', username: 'bob' })).toEqual(sum(5, 1));
    expect(await ann.must(logApi.ownTagSums, { name: 'team' })).toEqual(sum(7, 1));
    expect(await ann.must(logApi.ownTagSums, { name: 'team', tag: 'env=test' })).toEqual([]);
    expect(await ann.call(logApi.tagSums, { name: 'team' })).toMatchObject({ body: { success: false } });
    const found = await readItems(ann.must(logApi.ownList, { tag: 'team=a, env=prod' }));
    expect(found.map(({ quota, tags }) => [quota, tags])).toEqual([[7, tagged.tags]]);
    // A malformed tag finds nothing. It does not find everything.
    for (const tag of ['=', 'team=b', 'a b'])
      expect(await readItems(admin.must(logApi.list, { tag }))).toEqual([]);
    expect(await ann.must(logApi.ownStat, { tag: 'team=a' })).toMatchObject({ quota: 7 });
  });

  it('show the holder of a key its rows, without an account', async () => {
    const rows = (await house.guest.must(logApi.ofToken, { key: `sk-${tokenKey}` })) as LogData[];
    expect(rows.map(({ content }) => content)).toEqual(['of ann']);
    expect(JSON.stringify(rows)).not.toContain('admin_info');
    expect(await house.guest.must(logApi.ofToken, { key: 'sk-unknown' })).toEqual([]);
    const reply = await house.guest.call(logApi.ofToken, { key: `sk-${tokenKey}` });
    expect(reply.headers['access-control-allow-origin'], 'pages of any site may read it').toBe('*');
    expect((await ann.call(logApi.ownList, {})).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('delete rows before a given time, and refuse without one', async () => {
    expect((await admin.call(logApi.remove, {})).body.message).toBe('target timestamp is required');
    expect((await admin.call(logApi.countBefore, {})).body.message).toBe('target timestamp is required');
    const all = { target_timestamp: 99_999_999_999 };
    expect(await admin.must(logApi.countBefore, { target_timestamp: 1 })).toBe(0);
    expect(await admin.must(logApi.countBefore, all)).toBe(2);
    expect(await admin.must(logApi.remove, { target_timestamp: 1 })).toBe(0);
    expect(await admin.must(logApi.remove, { ...all, rows: 1 })).toBe(1);
    expect(await admin.must(logApi.remove, all)).toBe(1);
    expect(await admin.must(logApi.countBefore, all)).toBe(0);
  });
});

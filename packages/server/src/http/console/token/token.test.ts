import { type TokenData, tokenApi, userApi } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';

let house: House;
let alice: Agent;
let bob: Agent;
beforeEach(async () => {
  house = await openHouse();
  alice = await house.person('alice');
  bob = await house.person('bob');
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const create = async (input: object = {}, agent = alice) =>
  (await agent.must(tokenApi.create, { name: 'first', remain_quota: 500_000, ...input })) as TokenData;
const resolve = (key: string) => house.core.keys.resolve(`Bearer sk-${key}`, '203.0.113.9');

describe('creating a token', () => {
  it('returns its whole key, which works at once; the store has only hash and sealed text', async () => {
    const token = await create({ group: '', expired_time: -1 });
    expect(token.key).toMatch(/^[0-9A-Za-z]{48}$/);
    expect(token).toMatchObject({ name: 'first', status: 1, remain_quota: 500_000, unlimited_quota: false });
    expect(await resolve(token.key)).toMatchObject({
      kind: 'token',
      id: token.id,
      owner: { username: 'alice' },
    });
    const rows = await house.core.store.db.selectFrom('tokens').selectAll().execute();
    expect(rows[0]!.key_hash).toBe(sha256(token.key));
    expect(JSON.stringify(rows)).not.toContain(token.key);
  });

  it.each([
    ['a name over 30 bytes', { name: '令牌名称过长令牌名称过' }, '令牌名称过长'],
    ['an address that is none', { allow_ips: '10.0.0.1\nnowhere' }, 'IP 地址格式错误：nowhere'],
    ['a group that is not on offer', { group: 'secret' }, '无权访问该分组'],
  ])('refuses %s', async (_what, change, words) => {
    const reply = await alice.call(tokenApi.create, { name: 'x', ...change });
    expect(reply.body).toMatchObject({ success: false, message: words });
  });

  it('keeps its rule for channels in one spelling, and refuses a region that is none', async () => {
    const { id, key } = await create({ regions: ' EU, us,eu', no_retention: true });
    expect(await resolve(key)).toMatchObject({
      channelRule: { regions: new Set(['eu', 'us']), noRetention: true },
    });
    const kept = await alice.must(tokenApi.update, { id, regions: '' });
    expect(kept).toMatchObject({ regions: '', no_retention: true });
    expect(await resolve(key)).toMatchObject({ channelRule: { regions: null, noRetention: true } });
    await alice.must(tokenApi.update, { id, no_retention: false });
    expect(await resolve(key)).toMatchObject({ channelRule: null });
    expect(await alice.call(tokenApi.update, { id, regions: 'eu, a b' })).toMatchObject({
      body: { success: false },
    });
  });

  it.each([null, -1, 0.5, 2 ** 53, 'much', true])('refuses an allowance of %o', async (remain_quota) => {
    const reply = await alice.send({
      method: 'POST',
      url: '/api/token/',
      payload: { name: 'x', remain_quota },
    });
    expect(reply.body).toMatchObject({ success: false, code: 'invalid_input' });
  });

  it('belongs to the user who creates it, and has none of what only the server decides', async () => {
    const post = (more: object) =>
      alice.send({ method: 'POST', url: '/api/token/', payload: { name: 'x', remain_quota: 5, ...more } });
    for (const more of [{ user_id: bob.userId }, { used_quota: -5 }, { key: 'a'.repeat(48) }]) {
      const { body } = await post(more);
      expect(body).toMatchObject({ success: false, code: 'unknown_members' });
      expect(body.message).toContain(Object.keys(more)[0]);
    }
    expect((await post({})).body.data).toMatchObject({ user_id: alice.userId, status: 1, used_quota: 0 });
  });
});

describe('reading tokens', () => {
  it('shows masked keys in lists, newest first, and the whole key one by one', async () => {
    const [first, second] = [await create(), await create({ name: 'second' })];
    const list = (await alice.must(tokenApi.list, { p: 0, size: 10 })) as TokenData[];
    expect(list.map((token) => token.name)).toEqual(['second', 'first']);
    expect(list[1]!.key).toBe(`${first.key.slice(0, 4)}…${first.key.slice(-4)}`);
    expect(await alice.must(tokenApi.list, { p: 1, size: 1 })).toMatchObject([{ id: first.id }]);
    expect(await alice.must(tokenApi.get, { id: second.id })).toMatchObject({ key: second.key });
  });

  it('finds them by part of the name, by a whole key, and by its beginning', async () => {
    const token = await create({ name: 'my 100% key' });
    await create({ name: 'other' });
    const find = async (query: object) =>
      ((await alice.must(tokenApi.search, query)) as TokenData[]).map((each) => each.name);
    expect(await find({ keyword: '100%' })).toEqual(['my 100% key']);
    expect(await find({ keyword: '100_' })).toEqual([]);
    expect(await find({ token: `sk-${token.key}` })).toEqual(['my 100% key']);
    expect(await find({ token: `sk-${token.key.slice(0, 8)}` })).toEqual(['my 100% key']);
    expect(await find({ token: 'zzzz9' })).toEqual([]);
  });

  it('hides the key from its owner too in hash-only mode, except at its creation', async () => {
    await house.close();
    house = await openHouse({ env: { HASH_ONLY_KEYS: 'true' } });
    alice = await house.person('alice');
    const token = await create();
    expect(token.key).toHaveLength(48);
    expect(await alice.must(tokenApi.get, { id: token.id })).toMatchObject({
      key: `${token.key.slice(0, 4)}…${token.key.slice(-4)}`,
    });
    expect(await resolve(token.key)).toMatchObject({ kind: 'token' });
  });
});

describe('changing a token', () => {
  it('applies to the next call: disabled, enabled, limited to addresses, deleted', async () => {
    const { id, key } = await create();
    expect(await resolve(key)).toMatchObject({ kind: 'token' });
    await alice.send({ method: 'PUT', url: '/api/token/?status_only=true', payload: { id, status: 2 } });
    expect(await resolve(key)).toMatchObject({ kind: 'refusal', error: 'token_disabled' });
    await alice.send({ method: 'PUT', url: '/api/token/?status_only=true', payload: { id, status: 1 } });
    expect(await resolve(key)).toMatchObject({ kind: 'token' });
    await alice.must(tokenApi.update, { id, allow_ips: '198.51.100.0/24, 10.0.0.1' });
    expect(await resolve(key)).toMatchObject({ kind: 'refusal', error: 'ip_not_allowed' });
    await alice.must(tokenApi.update, { id, allow_ips: '' });
    expect(await resolve(key)).toMatchObject({ kind: 'token' });
    await alice.must(tokenApi.remove, { id });
    expect(await resolve(key)).toMatchObject({ kind: 'refusal', error: 'invalid_api_key' });
  });

  it('applies to the next call when its owner is banned', async () => {
    const admin = await house.person('admin', { role: 10 });
    const { key } = await create();
    expect(await resolve(key)).toMatchObject({ kind: 'token' });
    await admin.must(userApi.manage, { id: alice.userId, action: 'disable' });
    expect(await resolve(key)).toMatchObject({ kind: 'refusal', error: 'user_banned' });
    await admin.must(userApi.manage, { id: alice.userId, action: 'delete' });
    expect(await resolve(key)).toMatchObject({ kind: 'refusal', error: 'invalid_api_key' });
  });

  it('changes the allowance alone, or nothing', async () => {
    const { id } = await create({});
    const change = (input: object) => alice.must(tokenApi.update, { id, ...input });
    expect(await change({ remain_quota: 9 })).toMatchObject({ name: 'first', remain_quota: 9 });
    expect(await change({})).toMatchObject({ name: 'first', remain_quota: 9 });
  });

  it('leaves absent fields as they are, and writes the allowance through the ledger', async () => {
    const token = await create({ model_limits_enabled: true, model_limits: 'gpt-4o, o3,,gpt-4o' });
    expect(token.model_limits).toBe('gpt-4o,o3');
    const changed = await alice.must(tokenApi.update, { id: token.id, remain_quota: 7, name: 'renamed' });
    expect(changed).toMatchObject({ name: 'renamed', remain_quota: 7, model_limits: 'gpt-4o,o3', status: 1 });
    const entries = await house.core.store.db
      .selectFrom('ledger')
      .selectAll()
      .where('kind', '=', 'token')
      .execute();
    expect(entries.map((entry) => entry.token_delta)).toEqual([500_000, -499_993]);
  });

  it('refuses to enable what would be refused anyway, with what to do about it', async () => {
    const past = Math.floor(house.time.ms / 1000) - 10;
    const old = await create({ expired_time: past });
    const empty = await create({ remain_quota: 0 });
    expect(old.status).toBe(3);
    expect(empty.status).toBe(4);
    const enable = (id: number) =>
      alice.send({ method: 'PUT', url: '/api/token/?status_only=true', payload: { id, status: 1 } });
    expect((await enable(old.id)).body.message).toBe(
      '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期',
    );
    expect((await enable(empty.id)).body.message).toBe(
      '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
    );
    expect(await alice.must(tokenApi.update, { id: old.id, expired_time: -1 })).toMatchObject({ status: 1 });
    expect(await alice.must(tokenApi.update, { id: empty.id, unlimited_quota: true })).toMatchObject({
      status: 1,
    });
  });

  it.each([0, 3, 4, 5, undefined])('cannot set itself to state %s', async (status) => {
    const { id } = await create();
    const reply = await alice.send({
      method: 'PUT',
      url: '/api/token/?status_only=true',
      payload: { id, ...(status !== undefined && { status }) },
    });
    expect(reply.body.success).toBe(false);
  });
});

describe('another’s token', () => {
  it('does not exist: it can be neither read, changed, enabled nor deleted, not even by an administrator', async () => {
    const { id, key } = await create();
    const admin = await house.person('admin', { role: 10 });
    for (const stranger of [bob, admin]) {
      for (const reply of [
        await stranger.call(tokenApi.get, { id }),
        await stranger.call(tokenApi.update, { id, name: 'mine', remain_quota: 0 }),
        await stranger.call(tokenApi.update, { id, status: 2, status_only: true }),
        await stranger.call(tokenApi.remove, { id }),
      ]) {
        expect(reply.body).toMatchObject({ success: false, code: 'row_not_found' });
      }
      expect(await stranger.must(tokenApi.list, {})).toEqual([]);
      expect(await stranger.must(tokenApi.search, { token: key })).toEqual([]);
    }
    expect(await alice.must(tokenApi.get, { id })).toMatchObject({
      name: 'first',
      remain_quota: 500_000,
      status: 1,
    });
  });
});

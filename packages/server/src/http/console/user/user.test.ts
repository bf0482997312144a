import { role, selfApi, type UserData, userApi } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { autoTopUps, logs, users } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';

let house: House;
let root: Agent;
let admin: Agent;
let alice: Agent;
beforeEach(async () => {
  house = await openHouse();
  root = await house.person('chief', { role: role.root });
  admin = await house.person('admin', { role: role.admin });
  alice = await house.person('alice', { quota: 1_000_000 });
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const read = async (id: number) => (await root.must(userApi.get, { id })) as UserData;
const manage = (agent: Agent, id: number, action: string) =>
  agent.call(userApi.manage, { id, action: action as 'enable' });

describe('the list of users', () => {
  it('has every user, newest first, deleted ones too, and no secret', async () => {
    await alice.send({
      method: 'PUT',
      url: '/api/user/setting',
      payload: {
        notify_type: 'webhook',
        quota_warning_threshold: 5,
        webhook_url: 'https://hook.example',
        webhook_secret: 'very-secret-word',
      },
    });
    await manage(admin, alice.userId, 'delete');
    const reply = await admin.call(userApi.list, { p: 1, page_size: 2 });
    expect(reply.body).toMatchObject({ success: true, data: { total: 3, page: 1, page_size: 2 } });
    const page = reply.body.data as { items: UserData[] };
    expect(page.items.map((user) => user.username)).toEqual(['alice', 'admin']);
    expect(page.items[0]!.DeletedAt).toBeGreaterThan(0);
    expect(page.items[1]!.DeletedAt).toBeNull();
    const text = JSON.stringify(reply.body).replaceAll('"has_password":', '');
    for (const secret of ['argon2', 'password', 'access_token', 'webhook_secret', 'very-secret-word']) {
      expect(text).not.toContain(secret);
    }
  });

  it('is searched by id, part of a name, and group; LIKE wildcards are plain characters', async () => {
    const find = async (query: object): Promise<string[]> => {
      const page = (await admin.must(userApi.search, query)) as { items: UserData[] };
      return page.items.map((user) => user.username);
    };
    expect(await find({ keyword: String(alice.userId) })).toEqual(['alice']);
    expect(await find({ keyword: 'lic' })).toEqual(['alice']);
    expect(await find({ keyword: '%' })).toEqual([]);
    expect(await find({ keyword: '', group: 'vip' })).toEqual([]);
    expect(await find({ keyword: "' OR 1=1 --" })).toEqual([]);
  });
});

describe('the order of the list', () => {
  const namesBy = async (sort: string, query: object = {}): Promise<string[]> => {
    const page = (await root.must(userApi.search, { keyword: '', sort, ...query })) as { items: UserData[] };
    return page.items.map((user) => user.username);
  };

  it('is by a column in either direction, the newest first among equals', async () => {
    expect(await namesBy('username')).toEqual(['admin', 'alice', 'chief']);
    expect(await namesBy('-username')).toEqual(['chief', 'alice', 'admin']);
    expect(await namesBy('-quota')).toEqual(['alice', 'admin', 'chief']);
    expect(await namesBy('role')).toEqual(['alice', 'admin', 'chief']);
    expect(await namesBy('group')).toEqual(['alice', 'admin', 'chief']);
    expect(await namesBy('')).toEqual(['alice', 'admin', 'chief']);
  });

  it('holds across its pages', async () => {
    const pages = [1, 2, 3].map((p) => namesBy('username', { p, page_size: 1 }));
    expect((await Promise.all(pages)).flat()).toEqual(['admin', 'alice', 'chief']);
    const listed = (await root.must(userApi.list, { sort: 'username' })) as { items: UserData[] };
    expect(listed.items.map((user) => user.username)).toEqual(['admin', 'alice', 'chief']);
  });

  it('cannot be by a name that is not a column of the list', async () => {
    for (const sort of ['password', 'access_token_hash', 'setting; drop table users'])
      expect((await root.call(userApi.search, { keyword: '', sort })).body).toMatchObject({
        success: false,
        code: 'invalid_input',
      });
  });
});

describe('a remark', () => {
  it('is read and written by administrators and never shown to the user', async () => {
    await admin.must(userApi.update, { id: alice.userId, remark: ' pays by invoice ' });
    expect(await read(alice.userId)).toMatchObject({ remark: 'pays by invoice' });
    await admin.must(userApi.update, { id: alice.userId, group: 'vip' });
    expect(await read(alice.userId)).toMatchObject({ remark: 'pays by invoice' });
    expect(JSON.stringify((await alice.call(selfApi.get, {})).body)).not.toContain('invoice');
    const own = { method: 'PUT', url: '/api/user/self', payload: { remark: 'vip' } } as const;
    expect((await alice.send(own)).body.code).toBe('unknown_members');
    expect(await read(alice.userId)).toMatchObject({ remark: 'pays by invoice' });
    await admin.must(userApi.update, { id: alice.userId, remark: '' });
    expect(await read(alice.userId)).toMatchObject({ remark: '' });
    const long = await admin.call(userApi.update, { id: alice.userId, remark: 'x'.repeat(256) });
    expect(long.body).toMatchObject({ success: false, code: 'invalid_input' });
  });
});

describe('reading, editing and managing', () => {
  it('is for lower ranks only: an admin reaches neither another admin nor root', async () => {
    const peer = await house.person('peer', { role: role.admin });
    for (const id of [peer.userId, root.userId]) {
      expect((await admin.call(userApi.get, { id })).body.message).toBe('无权获取同级或更高等级用户的信息');
      expect((await admin.call(userApi.update, { id, display_name: 'x' })).body.message).toBe(
        '无权更新同权限等级或更高权限等级的用户信息',
      );
      expect((await admin.call(userApi.remove, { id })).body.message).toBe(
        '无权删除同权限等级或更高权限等级的用户',
      );
      expect((await manage(admin, id, 'disable')).body.message).toBe(
        '无权更新同权限等级或更高权限等级的用户信息',
      );
    }
    expect((await admin.call(userApi.get, { id: alice.userId })).body.success).toBe(true);
  });

  it('shows neither settings nor remarks of peers, of root or of oneself, in no list either', async () => {
    const peer = await house.person('peer', { role: role.admin });
    const everybody = [alice, peer, admin, root];
    for (const person of everybody) {
      const webhook_url = `https://hooks.example/secret-of-${person.userId}`;
      await person.must(selfApi.setting, { notify_type: 'webhook', webhook_url });
      await users.update(house.core.store.db, person.userId, { remark: `remark on ${person.userId}` });
    }
    const leaks = async (reader: Agent): Promise<number[]> => {
      const queries = [
        await reader.must(userApi.list, {}),
        await reader.must(userApi.search, { keyword: 'e' }),
        ...(await Promise.all(everybody.map(({ userId }) => reader.call(userApi.get, { id: userId })))),
      ];
      const text = JSON.stringify(queries);
      const ids = everybody.map(({ userId }) => userId);
      return ids.filter((id) => text.includes(`secret-of-${id}`) || text.includes(`remark on ${id}`));
    };
    expect(await leaks(admin)).toEqual([alice.userId]);
    expect(await leaks(root)).toEqual(everybody.map(({ userId }) => userId));
  });

  it('refuses what would harm a super admin, or make admins behind root’s back', async () => {
    const second = await house.person('second', { role: role.root });
    expect((await manage(root, second.userId, 'disable')).body.message).toBe('无法禁用超级管理员用户');
    expect((await manage(root, second.userId, 'delete')).body.message).toBe('无法删除超级管理员用户');
    expect((await manage(root, second.userId, 'demote')).body.message).toBe('无法降级超级管理员用户');
    expect((await manage(admin, alice.userId, 'promote')).body.message).toBe(
      '普通管理员用户无法提升其他用户为管理员',
    );
    const raise = await admin.call(userApi.update, { id: alice.userId, role: 10 });
    expect(raise.body.message).toBe('无权将其他用户权限等级提升到大于等于自己的权限等级');
  });

  it('moves through the states and returns the new ones', async () => {
    const id = alice.userId;
    expect((await manage(root, id, 'promote')).body.data).toEqual({ role: 10, status: 1 });
    expect((await manage(root, id, 'promote')).body.message).toBe('该用户已经是管理员');
    expect((await manage(root, id, 'demote')).body.data).toEqual({ role: 1, status: 1 });
    expect((await manage(root, id, 'demote')).body.message).toBe('该用户已经是普通用户');
    expect((await manage(admin, id, 'disable')).body.data).toEqual({ role: 1, status: 2 });
    expect((await manage(admin, id, 'enable')).body.data).toEqual({ role: 1, status: 1 });
    expect((await manage(admin, id, 'explode')).body.success).toBe(false);
    expect((await manage(admin, 99_999, 'disable')).body.message).toBe('用户不存在');
  });

  it('writes only the fields a call names, whatever else is sent (mass assignment)', async () => {
    const before = await read(alice.userId);
    const put = (payload: object) => admin.send({ method: 'PUT', url: '/api/user/', payload });
    const secret = { id: alice.userId, group: 'vip', account_id: 1, access_token_hash: 'x' };
    expect((await put(secret)).body.code).toBe('unknown_members');
    expect(await read(alice.userId)).toEqual(before);
    // The object from the read, with other values: display-only fields are not written.
    const echoed = {
      status: 2,
      used_quota: 5,
      request_count: 5,
      aff_quota: 5,
      email: 'x@y.z',
      github_id: 'x',
    };
    await put({ id: alice.userId, group: 'vip', ...echoed, inviter_id: 1, DeletedAt: 5 });
    expect(await read(alice.userId)).toEqual({ ...before, group: 'vip' });
  });

  it('keeps a group that no longer exists, and accepts no other unknown one', async () => {
    await admin.must(userApi.update, { id: alice.userId, group: 'vip' });
    const wrong = await admin.call(userApi.update, { id: alice.userId, group: 'no such', display_name: 'x' });
    expect(wrong.body).toMatchObject({
      success: false,
      code: 'group_unknown',
      message: '分组 no such 不存在',
    });
    for (const name of ['__proto__', 'constructor', 'VIP'])
      expect((await admin.call(userApi.update, { id: alice.userId, group: name })).body.code).toBe(
        'group_unknown',
      );
    await house.core.settings.set('GroupRatio', '{"default":1}');
    await admin.must(userApi.update, { id: alice.userId, group: 'vip', display_name: 'still' });
    expect(await read(alice.userId)).toMatchObject({ group: 'vip', display_name: 'still' });
  });

  it('sets a password that ends the user’s sessions', async () => {
    await admin.must(userApi.update, { id: alice.userId, password: 'a brand new one' });
    expect((await alice.send({ url: '/api/user/self' })).status).toBe(401);
    await expect(house.signIn('alice', 'a brand new one')).resolves.toBeDefined();
    await expect(house.signIn('alice', testPassword)).rejects.toThrow('用户名或密码错误');
  });

  it('does not give two users one name', async () => {
    const reply = await admin.call(userApi.update, { id: alice.userId, username: 'admin' });
    expect(reply.body.message).toBe('用户名已存在，或已注销');
  });

  it('creates ordinary users only, and none of one’s own rank', async () => {
    const made = { username: 'carol', password: testPassword, display_name: '' };
    expect((await admin.call(userApi.create, { ...made, role: 10 })).body.message).toBe(
      '无法创建权限大于等于自己的用户',
    );
    await root.must(userApi.create, { ...made, role: 10 });
    expect((await house.signIn('carol')).userId).toBeGreaterThan(0);
    const page = (await admin.must(userApi.search, { keyword: 'carol' })) as { items: UserData[] };
    expect(page.items[0]).toMatchObject({ role: 1, display_name: 'carol', quota: 0 });
  });

  it('erases a user for good, and keeps the books right', async () => {
    const { db } = house.core.store;
    const card = { customer: 'cus_1', method: 'pm_1', card: 'visa 4242', page_id: '', problem: '' };
    const terms = { enabled: 1, below: 5, amount: 20, month_limit: 100, order_no: '', due_time: 0 };
    await autoTopUps.create(db, { user_id: alice.userId, ...terms, ...card });
    await admin.must(userApi.remove, { id: alice.userId });
    expect(await autoTopUps.find(db, alice.userId)).toBeUndefined();
    expect((await admin.call(userApi.get, { id: alice.userId })).body.message).toBe('用户不存在');
    expect((await alice.send({ url: '/api/user/self' })).status).toBe(401);
  });
});

describe('a balance', () => {
  const quotaLogs = async () => {
    const { rows } = await logs.list(house.core.store.db, { userId: alice.userId }, { offset: 0, limit: 10 });
    return rows.filter((row) => row.type === 3).map((row) => row.content);
  };

  it('set by an administrator is booked as a difference and logged', async () => {
    await admin.must(userApi.update, { id: alice.userId, quota: 1_500_000 });
    expect((await read(alice.userId)).quota).toBe(1_500_000);
    expect((await quotaLogs())[0]).toBe('管理员将用户额度从 ＄2.000000 额度修改为 ＄3.000000 额度');
  });

  it('saved unchanged writes no entry', async () => {
    const before = (await quotaLogs()).length;
    await admin.must(userApi.update, { id: alice.userId, quota: 1_000_000, group: 'vip' });
    expect(await quotaLogs()).toHaveLength(before);
  });

  it('is added to and taken from, never below zero', async () => {
    const add = (value: number, mode: 'add' | 'subtract' | 'override') =>
      admin.call(userApi.manage, { id: alice.userId, action: 'add_quota', value, mode, reason: 'test' });
    expect((await add(500, 'add')).body.data).toEqual({ role: 1, status: 1 });
    expect((await add(1_500, 'subtract')).body.success).toBe(true);
    expect((await read(alice.userId)).quota).toBe(999_000);
    expect((await add(1_000_000, 'subtract')).body).toMatchObject({
      success: false,
      message: '用户额度不足，最多可减少 999000',
    });
    expect((await add(7, 'override')).body.success).toBe(true);
    expect((await read(alice.userId)).quota).toBe(7);
    expect((await add(-7, 'override')).body.success).toBe(false);
  });

  it('is added to until a time, which only an added amount can have', async () => {
    const end = Math.floor(house.core.clock() / 1_000) + 3_600;
    const add = async (change: {
      value: number;
      mode?: 'add' | 'subtract' | 'override';
      expires_time: number;
    }) => {
      const input = { id: alice.userId, action: 'add_quota' as const, reason: 'trial', ...change };
      return (await admin.call(userApi.manage, input)).body;
    };
    expect(await add({ value: 500, expires_time: end })).toMatchObject({ success: true });
    const dated = await house.core.store.db
      .selectFrom('grants')
      .selectAll()
      .where('expires_at', '>', 0)
      .execute();
    expect(dated).toMatchObject([{ source: 'admin', amount: 500, expires_at: end, user_id: alice.userId }]);
    expect(await add({ value: 500, expires_time: 1 })).toMatchObject({ code: 'credit_expiry_past' });
    for (const mode of ['subtract', 'override'] as const)
      expect(await add({ value: 500, mode, expires_time: end })).toMatchObject({ code: 'invalid_parameter' });
    expect((await read(alice.userId)).quota).toBe(1_000_500);
  });

  it('keeps every one of many concurrent changes', async () => {
    const add = () => admin.call(userApi.manage, { id: alice.userId, action: 'add_quota', value: 10 });
    const replies = await Promise.all(Array.from({ length: 20 }, add));
    expect(replies.every(({ body }) => body.success)).toBe(true);
    expect((await read(alice.userId)).quota).toBe(1_000_200);
  });

  it.each([2 ** 53, -1, 1e308, 0.5, 'abc', '', null, [], true])('cannot be set to %o', async (quota) => {
    const reply = await admin.send({
      method: 'PUT',
      url: '/api/user/',
      payload: { id: alice.userId, quota },
    });
    expect(reply.body.success).toBe(false);
    expect((await read(alice.userId)).quota).toBe(1_000_000);
  });
});

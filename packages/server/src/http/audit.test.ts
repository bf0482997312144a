import {
  authApi,
  channelApi,
  logApi,
  optionApi,
  redemptionApi,
  selfApi,
  secretMask,
  tokenApi,
  userApi,
  role,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operatorRoutes } from '../boot/upkeep.ts';
import type { Probe } from '../gateway/index.ts';
import { audit } from '../store/index.ts';
import type { Agent } from '../testing/agent.ts';
import { type House, openHouse, testPassword } from '../testing/harness.ts';

let house: House;
let root: Agent;
beforeEach(async () => {
  house = await openHouse({ routes: (core) => operatorRoutes(core, {} as Probe) });
  root = await house.person('root', { role: role.root });
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

/** The newest row, with its detail parsed. */
async function newest(kind: string) {
  const [row] = await audit.list(house.core.store.db, { kind }, { limit: 1 });
  if (!row) throw new Error(`no row of ${kind}`);
  return { ...row, detail: row.detail === '' ? {} : (JSON.parse(row.detail) as Record<string, unknown>) };
}
const count = async (kind: string): Promise<number> =>
  (await audit.list(house.core.store.db, { kind }, { limit: 1_000 })).length;

describe('the audit log has', () => {
  it('sign-ins with address and browser, failed ones too, with the true reason', async () => {
    const ann = await house.person('ann');
    expect(await newest('sign_in')).toMatchObject({
      outcome: '',
      actor_id: ann.userId,
      user_id: ann.userId,
      method: 'password',
      ip: '127.0.0.1',
      user_agent: 'lightMyRequest',
    });
    const login = (username: string, password: string) =>
      house.guest.call(authApi.login, { username, password });
    await login('ann', 'wrong password');
    expect(await newest('sign_in')).toMatchObject({
      outcome: 'wrong_password',
      actor_id: 0,
      user_id: ann.userId,
    });
    await login('my secret typed here', 'x');
    const unknown = await newest('sign_in');
    expect(unknown).toMatchObject({ outcome: 'user_not_found', user_id: 0 });
    expect(JSON.stringify(unknown)).not.toContain('my secret');
    await root.must(userApi.manage, { id: ann.userId, action: 'disable' });
    await login('ann', testPassword);
    expect(await newest('sign_in')).toMatchObject({ outcome: 'user_banned', user_id: ann.userId });
  });

  it('sign-outs and sessions ended by hand', async () => {
    const ann = await house.person('ann');
    await house.signIn('ann');
    const sessions = (await ann.must(authApi.sessions, {})) as { id: string; current: boolean }[];
    const other = sessions.find(({ current }) => !current);
    await ann.must(authApi.endSession, { session: other!.id });
    expect(await newest('session.end')).toMatchObject({ actor_id: ann.userId, user_id: ann.userId });
    await ann.must(authApi.logout, {});
    expect(await newest('sign_out')).toMatchObject({ actor_id: ann.userId, user_id: ann.userId });
  });

  it('what administrators change of users: only changed fields, before and after', async () => {
    const ann = await house.person('ann');
    const id = ann.userId;
    await root.must(userApi.update, { id, username: 'ann', group: 'vip', password: 'another good one' });
    const row = await newest('user.update');
    expect(row).toMatchObject({ actor_id: root.userId, actor_name: 'root', user_id: id, target_name: 'ann' });
    expect(row.detail['changes']).toEqual({
      group: { before: 'default', after: 'vip' },
      password: { before: secretMask, after: secretMask },
    });
    const before = await count('user.update');
    await root.must(userApi.update, { id, group: 'vip' });
    expect(await count('user.update')).toBe(before);
    for (const action of ['promote', 'demote', 'disable', 'enable', 'delete'] as const) {
      await root.must(userApi.manage, { id, action });
      expect(await newest(`user.${action}`)).toMatchObject({ actor_id: root.userId, user_id: id });
    }
    await root.must(userApi.remove, { id });
    expect(await newest('user.erase')).toMatchObject({ user_id: id, target_name: 'ann' });
    await root.must(userApi.create, { username: 'bob', password: testPassword });
    expect(await newest('user.create')).toMatchObject({ target_name: 'bob', actor_id: root.userId });
  });

  it('money moved by hand, with amount, reason, before and after', async () => {
    const ann = await house.person('ann', { quota: 500 });
    const move = { id: ann.userId, action: 'add_quota', value: 250, reason: 'paid in cash' } as const;
    await root.must(userApi.manage, move);
    const row = await newest('user.quota');
    expect(row.user_id).toBe(ann.userId);
    expect(row.detail).toEqual({
      amount: 250,
      reason: 'paid in cash',
      changes: { quota: { before: 500, after: 750 } },
    });
  });

  it('no row for what was refused or rolled back', async () => {
    const ann = await house.person('ann', { quota: 500 });
    const before = await count('user');
    const reply = await root.call(userApi.update, { id: ann.userId, quota: 700, username: 'root' });
    expect(reply.body.success).toBe(false);
    expect(await count('user')).toBe(before);
  });

  it('saved settings, each with its text before and after, and never a secret', async () => {
    await root.must(optionApi.update, { key: 'ModelRatio', value: '{"a":1,"b":2}' });
    await root.must(optionApi.update, { key: 'ModelRatio', value: '{"a":1,"b":3}' });
    const row = await newest('setting.save');
    expect(row).toMatchObject({ target_type: 'setting', target_id: 'ModelRatio', actor_id: root.userId });
    expect(row.detail).toEqual({ changes: { 'ModelRatio.b': { before: 2, after: 3 } } });
    await root.must(optionApi.update, { key: 'SMTPToken', value: 'a very secret word' });
    const all = await audit.list(house.core.store.db, {}, { limit: 1_000 });
    expect(all[0]?.target_id).toBe('SMTPToken');
    expect(JSON.stringify(all)).not.toContain('a very secret word');
  });

  it('keys that were created, changed, read and deleted, and never the key itself', async () => {
    const ann = await house.person('ann');
    const { id, key } = (await ann.must(tokenApi.create, { name: 'mine' })) as { id: number; key: string };
    await ann.must(tokenApi.update, { id, name: 'yours', remain_quota: 5 });
    expect((await newest('token.update')).detail).toEqual({
      changes: { name: { before: 'mine', after: 'yours' }, remain_quota: { before: 0, after: 5 } },
    });
    await ann.must(tokenApi.get, { id });
    await ann.must(tokenApi.get, { id });
    expect(await count('token.reveal')).toBe(1);
    house.time.ms += 2 * 3_600_000;
    await ann.must(tokenApi.get, { id });
    expect(await count('token.reveal')).toBe(2);
    await ann.must(tokenApi.remove, { id });
    for (const kind of ['create', 'update', 'reveal', 'delete']) {
      expect(await newest(`token.${kind}`)).toMatchObject({
        actor_id: ann.userId,
        user_id: ann.userId,
        target_id: String(id),
      });
    }
    const all = await audit.list(house.core.store.db, {}, { limit: 1_000 });
    expect(JSON.stringify(all)).not.toContain(key);
  });

  it('channels, codes and cleared logs', async () => {
    const key = 'sk-upstream-secret-of-the-channel';
    const [channel] = (await root.must(channelApi.create, { type: 1, name: 'one', key, models: 'm' })) as {
      id: number;
    }[];
    const id = channel!.id;
    await root.must(channelApi.update, { id, priority: 7, key: 'sk-another-secret-of-the-channel' });
    expect((await newest('channel.update')).detail).toEqual({
      changes: { priority: { before: 0, after: 7 }, key: { before: secretMask, after: secretMask } },
    });
    await root.must(channelApi.copy, { id });
    await root.must(channelApi.remove, { id });
    for (const kind of ['channel.create', 'channel.copy', 'channel.delete']) {
      expect(await newest(kind)).toMatchObject({ actor_id: root.userId, target_type: 'channel' });
    }
    const codes = (await root.must(redemptionApi.create, { name: 'gift', quota: 9, count: 2 })) as string[];
    expect((await newest('redemption.create')).detail).toEqual({ name: 'gift', quota: 9, count: 2 });
    await root.must(logApi.remove, { target_timestamp: 1_000 });
    expect((await newest('log.delete')).detail).toEqual({ before: 1_000, rows: 0 });
    const all = JSON.stringify(await audit.list(house.core.store.db, {}, { limit: 1_000 }));
    for (const secret of [key, 'sk-another', ...codes]) expect(all).not.toContain(secret);
  });

  it('what users change of themselves', async () => {
    const ann = await house.person('ann');
    await ann.must(selfApi.update, { display_name: 'Ann' });
    expect((await newest('self.update')).detail).toEqual({
      changes: { display_name: { before: 'ann', after: 'Ann' } },
    });
    await ann.must(selfApi.accessToken, {}, { password: testPassword });
    expect(await newest('self.access_token')).toMatchObject({ user_id: ann.userId });
    await ann.must(selfApi.remove, {}, { password: testPassword });
    expect(await newest('self.delete')).toMatchObject({ user_id: ann.userId });
    await house.guest.call(authApi.register, { username: 'bob', password: testPassword });
    expect(await newest('self.register')).toMatchObject({ target_name: 'bob', actor_id: 0 });
  });
});

import {
  type AuditPage,
  auditApi,
  type MovementData,
  role,
  selfApi,
  type SessionData,
  type TokenData,
  tokenApi,
  userApi,
  userHistoryApi,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expireAudit } from '../../../jobs/upkeep.ts';
import type { JobParts } from '../../../jobs/parts.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';

const day = 86_400_000;

let house: House;
let root: Agent;
let admin: Agent;
beforeEach(async () => {
  house = await openHouse();
  root = await house.person('root', { role: role.root });
  admin = await house.person('boss', { role: role.admin });
});
afterEach(() => house.close());

const ask = async (query: Parameters<typeof root.call<typeof auditApi.list>>[1]): Promise<AuditPage> =>
  (await root.must(auditApi.list, query)) as AuditPage;
const kinds = async (query: Parameters<typeof ask>[0]) => (await ask(query)).items.map(({ kind }) => kind);

describe('the audit', () => {
  it('is for root alone', async () => {
    expect((await admin.call(auditApi.list, {})).body.code).toBe('insufficient_role');
    expect((await house.guest.call(auditApi.list, {})).status).toBe(401);
  });

  it('returns rows by actor, target, kind, time and text, with the changed fields', async () => {
    const ann = await house.person('ann');
    await admin.must(userApi.update, { id: ann.userId, group: 'vip' });
    await admin.must(userApi.manage, { id: ann.userId, action: 'disable' });
    expect(await kinds({ actor: 'boss' })).toEqual(['user.disable', 'user.update', 'sign_in']);
    expect(await kinds({ actor: String(admin.userId), kind: 'user' })).toEqual([
      'user.disable',
      'user.update',
    ]);
    expect(await kinds({ target: 'ann', kind: 'user.update' })).toEqual(['user.update']);
    expect(await kinds({ target: String(ann.userId), kind: 'user.disable' })).toEqual(['user.disable']);
    expect(await kinds({ text: 'VIP' })).toEqual(['user.update']);
    expect(await kinds({ actor: 'boss', end_timestamp: 1_000 })).toEqual([]);
    const [row] = (await ask({ text: 'vip' })).items;
    expect(row).toMatchObject({
      actor_name: 'boss',
      target_type: 'user',
      target_name: 'ann',
      method: 'session',
      changes: { group: { before: 'default', after: 'vip' } },
      note: {},
    });
  });

  it('is read in pages, each from the row where the last one ended', async () => {
    for (let n = 0; n < 5; n += 1) await house.signIn('boss');
    const first = await ask({ kind: 'sign_in', actor: 'boss', limit: 4 });
    expect(first.items).toHaveLength(4);
    const second = await ask({ kind: 'sign_in', actor: 'boss', limit: 4, before: first.next ?? 0 });
    expect(second.items).toHaveLength(2);
    expect(second.next).toBeNull();
    expect(second.items[0]!.id).toBeLessThan(first.items[3]!.id);
  });

  it('deletes no row by itself, and old rows only after the days that root sets; each deletion is a row too', async () => {
    house.time.ms = Date.now() - 100 * day;
    await house.signIn('boss');
    house.time.ms = Date.now() - 40 * day;
    await house.signIn('boss');
    house.time.ms = Date.now();
    root = await house.signIn('root');
    const parts = { auditTrail: house.core.audit, settings: house.core.settings } as unknown as JobParts;
    const job = expireAudit(parts);
    const count = async () =>
      (
        await ask({
          kind: 'sign_in',
          actor: 'boss',
          end_timestamp: Math.floor(Date.now() / 1000) - 30 * 86_400,
        })
      ).items.length;
    const before = await count();
    await job?.run();
    expect(await count()).toBe(before);
    await house.core.settings.set('AuditRetentionDays', '60');
    await job?.run();
    expect(await count()).toBe(before - 1);
    const [row] = (await ask({ kind: 'audit' })).items;
    expect(row).toMatchObject({ kind: 'audit.expire', actor_id: 0, note: { days: 60, rows: 1 } });
    await house.core.settings.set('AuditRetentionDays', '1');
    await job?.run();
    expect(await count()).toBe(0);
  });
});

describe('what happened to a user', () => {
  it('is their rows, sessions, keys without the key, and movements with reasons', async () => {
    const ann = await house.person('ann', { quota: 1_000 });
    const { key } = (await ann.must(tokenApi.create, { name: 'mine' })) as TokenData;
    const money = { action: 'add_quota', mode: 'subtract', value: 300, reason: 'chargeback 17' } as const;
    await admin.must(userApi.manage, { id: ann.userId, ...money });
    const id = ann.userId;
    const page = (await admin.must(userHistoryApi.audit, { id })) as AuditPage;
    expect(page.items.map(({ kind }) => kind)).toEqual([
      'user.quota',
      'token.create',
      'sign_in',
      'user.quota',
    ]);
    const [session] = (await admin.must(userHistoryApi.sessions, { id })) as SessionData[];
    expect(session).toMatchObject({ ip: '127.0.0.1', user_agent: 'lightMyRequest' });
    expect(session!.id).toHaveLength(16);
    const tokens = (await admin.must(userHistoryApi.tokens, { id })) as TokenData[];
    expect(tokens).toMatchObject([{ name: 'mine' }]);
    expect(JSON.stringify(tokens)).not.toContain(key);
    const { items } = (await admin.must(userHistoryApi.movements, { id })) as { items: MovementData[] };
    expect(items[0]).toMatchObject({
      kind: 'adjust',
      amount: -300,
      reason: 'chargeback 17',
      actor_name: 'boss',
    });
    const older = { id, limit: 1, before: items[0]!.id };
    expect(await admin.must(userHistoryApi.movements, older)).toMatchObject({ items: [{ amount: 1_000 }] });
  });

  it('tells administrators nothing about themselves that was noted, nor where root was', async () => {
    root.headers['user-agent'] = 'my own browser';
    await root.must(userApi.update, { id: admin.userId, remark: 'watch this one', group: 'vip' });
    const rows = (await admin.must(userHistoryApi.audit, { id: admin.userId })) as AuditPage;
    expect(rows.items[0]).toMatchObject({
      kind: 'user.update',
      changes: { group: { after: 'vip' } },
      ip: '',
    });
    expect(JSON.stringify(rows)).not.toMatch(/watch this one|own browser/);
    const forRoot = (await root.must(userHistoryApi.audit, { id: admin.userId })) as AuditPage;
    expect(JSON.stringify(forRoot)).toMatch(/own browser.*watch this one/);
  });

  it('is closed to administrators beside and below them', async () => {
    const peer = await house.person('peer', { role: role.admin });
    for (const route of Object.values(userHistoryApi)) {
      const { code, message } = (await admin.call(route, { id: peer.userId })).body;
      expect(code, `${route.path}: ${message}`).toBe('cannot_read_peer');
      expect((await admin.call(route, { id: root.userId })).body.success).toBe(false);
      expect((await root.call(route, { id: peer.userId })).body.success).toBe(true);
      expect((await admin.call(route, { id: 999 })).body.code).toBe('user_not_found');
    }
  });

  it('can still be read after they were deleted', async () => {
    const ann = await house.person('ann');
    await ann.must(selfApi.remove, {}, { password: testPassword });
    const page = (await admin.must(userHistoryApi.audit, { id: ann.userId })) as AuditPage;
    expect(page.items[0]?.kind).toBe('self.delete');
  });
});

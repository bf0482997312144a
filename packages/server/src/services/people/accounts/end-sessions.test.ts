import {
  type AuditData,
  auditApi,
  authApi,
  role,
  selfApi,
  type TokenData,
  tokenApi,
  userApi,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessions } from '../../../store/index.ts';
import { type Agent, createAgent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';

let house: House;
let root: Agent;
let admin: Agent;
let ann: Agent;
beforeEach(async () => {
  house = await openHouse();
  root = await house.person('chief', { role: role.root });
  admin = await house.person('boss', { role: role.admin });
  ann = await house.person('ann', { quota: 1_000_000 });
});
afterEach(() => house.close());

const readEnd = async (agent: Agent, id: number) => (await agent.call(userApi.endSessions, { id })).body;
const readSessions = (id: number) => sessions.list(house.core.store.db, id);
const audited = async () => {
  const page = (await root.must(auditApi.list, { kind: 'session.end' })) as { items: AuditData[] };
  return page.items;
};

describe('an administrator who ends the sessions of a user', () => {
  it('ends them on every device with the next call, and those of no other user', async () => {
    const elsewhere = await house.signIn('ann');
    const bob = await house.person('bob');
    expect(await readEnd(admin, ann.userId)).toMatchObject({ success: true });
    for (const device of [ann, elsewhere]) {
      expect((await device.call(selfApi.get, {})).body.code).toBe('not_logged_in');
    }
    expect(await readSessions(ann.userId)).toEqual([]);
    expect((await bob.call(selfApi.get, {})).body.success).toBe(true);
    expect((await admin.call(selfApi.get, {})).body.success).toBe(true);
    const again = await house.signIn('ann');
    expect((await again.call(selfApi.get, {})).body.success).toBe(true);
  });

  it('leaves access token and keys as they are', async () => {
    const { key } = (await ann.must(tokenApi.create, { name: 'mine', unlimited_quota: true })) as TokenData;
    const program = createAgent(house.app);
    const token = String(await ann.must(selfApi.accessToken, {}, { password: testPassword }));
    program.headers = { authorization: token, 'new-api-user': String(ann.userId) };
    await admin.must(userApi.endSessions, { id: ann.userId });
    expect((await program.call(selfApi.get, {})).body.success).toBe(true);
    const resolved = await house.core.keys.resolve(`Bearer sk-${key}`, '203.0.113.9');
    expect(resolved).toMatchObject({ kind: 'token', name: 'mine' });
  });

  it('writes one audit row, with actor, user and number', async () => {
    await house.signIn('ann');
    await admin.must(userApi.endSessions, { id: ann.userId });
    expect(await audited()).toMatchObject([
      {
        actor_id: admin.userId,
        user_id: ann.userId,
        target_name: 'ann',
        note: { sessions: 2 },
      },
    ]);
  });
});

describe('the sessions of users of the same and of higher rank', () => {
  it('are not ended, nor are one’s own: those are ended in one’s own account', async () => {
    const peer = await house.person('peer', { role: role.admin });
    const rival = await house.person('rival', { role: role.root });
    for (const [actor, target] of [
      [admin, peer],
      [admin, root],
      [admin, admin],
      [root, rival],
      [root, root],
    ] as const) {
      expect((await readEnd(actor, target.userId)).code).toBe('cannot_edit_peer');
      expect(await readSessions(target.userId)).toHaveLength(1);
    }
    expect((await readEnd(ann, ann.userId)).code).toBe('insufficient_role');
    expect((await readEnd(admin, 999)).code).toBe('user_not_found');
    expect(await readSessions(ann.userId)).toHaveLength(1);
    await root.must(userApi.endSessions, { id: peer.userId });
    expect((await peer.call(authApi.sessions, {})).body.code).toBe('not_logged_in');
  });
});

import {
  personalDataApi,
  personalDataParts,
  type PersonalDataPage,
  type PersonalDataPart,
  role,
  selfApi,
  type TokenData,
  tokenApi,
  userApi,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operatorRoutes } from '../../../boot/upkeep.ts';
import type { Probe } from '../../../gateway/index.ts';
import { accessTokens, logs, vendorObjects } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';

let house: House;
let root: Agent;
let ann: Agent;
beforeEach(async () => {
  house = await openHouse({ routes: (core) => operatorRoutes(core, {} as Probe) });
  root = await house.person('root', { role: role.root });
  ann = await house.person('ann', { quota: 1_000 });
});
afterEach(() => house.close());

type Rows = PersonalDataPage['rows'];

/** All rows of a part, over all pages. */
async function all(part: PersonalDataPart): Promise<Rows> {
  const rows: Rows = [];
  let after: string | null = '';
  while (after !== null) {
    const page: PersonalDataPage = (await ann.must(personalDataApi.own, { part, after })) as PersonalDataPage;
    rows.push(...page.rows);
    after = page.next;
  }
  return rows;
}
async function everything(): Promise<Record<string, Rows>> {
  const found: Record<string, Rows> = {};
  for (const part of personalDataParts) found[part] = await all(part);
  return found;
}

describe('the export of a user’s data', () => {
  it('has account, sessions, keys, balance and audit, and no secret and no remark of administrators', async () => {
    const { key } = (await ann.must(tokenApi.create, { name: 'mine' })) as TokenData;
    await ann.must(selfApi.setting, {
      notify_type: 'webhook',
      webhook_url: 'https://hooks.example.com/x',
      webhook_secret: 'hush-hush-hush',
    });
    await root.must(userApi.update, { id: ann.userId, group: 'vip', remark: 'pays late' });
    await accessTokens.create(house.core.store.db, {
      user_id: ann.userId,
      name: 'monitoring',
      scope: 'read',
      token_hash: 'hash-of-the-token',
      created_time: 5,
      used_time: 0,
      expires_time: 9,
    });
    const file = {
      kind: 'file',
      purpose: 'user_data',
      bytes: 7,
      expires_at: 2_000_000_000,
      body: '{"id":"file-1"}',
    } as const;
    const place = { channel_id: 77, key_id: 'key-of-the-channel' };
    for (const { userId } of [ann, root])
      await vendorObjects.create(house.core.store.db, {
        ...file,
        ...place,
        name: 'a'.repeat(64),
        user_id: userId,
      });
    const data = await everything();
    expect(data['files']).toEqual([{ ...file, id: expect.any(Number) as number }]);
    expect(data['access-tokens']).toEqual([
      { name: 'monitoring', scope: 'read', created_time: 5, used_time: 0, expires_time: 9 },
    ]);
    expect(data['account']).toMatchObject([{ username: 'ann', group: 'vip', balance: 1_000 }]);
    expect(String(data['account']?.[0]?.['setting'])).toContain('hooks.example.com');
    expect(String(data['account']?.[0]?.['setting'])).not.toContain('secret');
    expect(data['keys']).toMatchObject([{ name: 'mine' }]);
    expect(data['sessions']).toHaveLength(1);
    expect(data['balance']).toMatchObject([{ account_delta: 1_000 }]);
    const update = data['audit']?.find(({ kind }) => kind === 'user.update');
    expect(update).toMatchObject({ ip: '', method: '' });
    expect(update?.['detail']).toContain('vip');
    const text = JSON.stringify(data);
    for (const secret of [key, 'hush-hush', 'argon2', 'pays late', '_hash', '_sealed', 'hash-of'])
      expect(text).not.toContain(secret);
  });

  it('has every row of a long log once, in the order of time, and no other user’s', async () => {
    const row = (index: number, user_id: number) => ({
      ...logs.blank,
      user_id,
      username: 'ann',
      content: '',
      // Many rows share a second, also across a page boundary.
      created_at: 1_700_000_000 + Math.floor(index / 300),
      type: 2,
      request_id: `r${index}`,
      other: JSON.stringify({ admin_info: { use_channel: [7] } }),
    });
    const { db } = house.core.store;
    const mine = Array.from({ length: 1_203 }, (_, index) => row(index, ann.userId));
    await logs.insert(db, mine.slice(0, 700));
    await logs.insert(db, [row(9_999, root.userId)]);
    await logs.insert(db, mine.slice(700));
    const found = (await all('log')).filter(({ type }) => type === 2);
    expect(found.map(({ request_id }) => request_id)).toEqual(mine.map(({ request_id }) => request_id));
    expect(JSON.stringify(found)).not.toContain('admin_info');
  });

  it('is allowed to root for any user, with an audit row at most once an hour', async () => {
    const ask = (part: PersonalDataPart) => root.must(personalDataApi.of, { id: ann.userId, part });
    expect(await ask('account')).toMatchObject({ rows: [{ username: 'ann' }], next: null });
    await ask('keys');
    const exports = (await all('audit')).filter(({ kind }) => kind === 'user.export');
    expect(exports).toMatchObject([{ target_name: 'ann', ip: '' }]);
    const gone = await root.call(personalDataApi.of, { id: 999, part: 'log' });
    expect(gone.body.code).toBe('user_not_found');
    const boss = await house.person('boss', { role: role.admin });
    const refused = await boss.call(personalDataApi.of, { id: ann.userId, part: 'log' });
    expect(refused.body.code).toBe('insufficient_role');
  });
});

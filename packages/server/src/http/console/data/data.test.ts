import { channelApi, dataApi, logType, type QuotaData, role } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quotaData } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

const hour = 1_790_000_400 - (1_790_000_400 % 3_600);

describe('dashboard calls', () => {
  let house: House;
  let admin: Agent;
  let ann: Agent;

  beforeAll(async () => {
    house = await openHouse({
      routes: operatorCalls,
    });
    admin = await house.person('admin', { role: role.admin });
    ann = await house.person('ann');
    const row = { model_name: 'gpt-4o', created_at: hour, token_used: 10, count: 1, quota: 5 };
    await quotaData.add(house.core.store.db, [
      { ...row, user_id: ann.userId, username: 'ann' },
      { ...row, user_id: admin.userId, username: 'admin', quota: 7 },
    ]);
  });
  afterAll(() => house.close());

  const span = { start_timestamp: hour - 10, end_timestamp: hour + 10 };

  it('sum up all users for administrators, or show one by name', async () => {
    expect(await admin.must(dataApi.list, span)).toMatchObject([
      { username: '', quota: 12, count: 2, token_used: 20 },
    ]);
    const named = (await admin.must(dataApi.list, { ...span, username: 'ann' })) as QuotaData[];
    expect(named).toMatchObject([{ user_id: ann.userId, quota: 5 }]);
    expect((await ann.call(dataApi.list, span)).body.code).toBe('insufficient_role');
  });

  it('show users their own data, a month at most', async () => {
    expect(await ann.must(dataApi.ownList, span)).toMatchObject([{ username: 'ann', quota: 5 }]);
    const long = { start_timestamp: hour - 2_592_001, end_timestamp: hour };
    expect((await ann.call(dataApi.ownList, long)).body).toMatchObject({
      success: false,
      message: '时间跨度不能超过 1 个月',
    });
    expect((await house.guest.call(dataApi.ownList, span)).status).toBe(401);
  });

  it('summarise the log: of all users or one for administrators, their own for users', async () => {
    const { core } = house;
    for (const [person, quota] of [
      [ann, 5],
      [admin, 7],
    ] as const) {
      await core.logs.write({
        type: logType.consume,
        user_id: person.userId,
        username: person === ann ? 'ann' : 'admin',
        content: '',
        created_at: hour,
        quota,
      });
    }
    expect(await admin.must(dataApi.summary, span)).toMatchObject({
      since: hour - 10,
      calls: 2,
      errors: 0,
      error_kinds: [],
      unpriced_models: [],
      first_token_ms: null,
      tokens: [{ username: 'admin', quota: 7 }, { username: 'ann' }],
    });
    expect(await admin.must(dataApi.summary, { ...span, username: 'ann' })).toMatchObject({ calls: 1 });
    expect(await ann.must(dataApi.ownSummary, span)).toMatchObject({ calls: 1, tokens: [{ quota: 5 }] });
    expect((await ann.call(dataApi.summary, span)).body.code).toBe('insufficient_role');
    expect((await house.guest.call(dataApi.ownSummary, span)).status).toBe(401);
  });

  it('show administrators the traffic of channels', async () => {
    for (const name of ['called', 'quiet'])
      await admin.must(channelApi.create, { type: 1, name, key: 'sk-secret-key', models: 'gpt-4o' });
    const order = { page: 0, pageSize: 100, byId: false, byTag: false };
    const { items } = await house.core.channels.list(order);
    const called = items.find(({ name }) => name === 'called');
    const tries = [{ channelId: called?.id, ms: 40 }];
    await house.core.logs.write({
      type: logType.consume,
      user_id: ann.userId,
      username: 'ann',
      content: '',
      created_at: hour + 20,
      quota: 5,
      other: JSON.stringify({ frt: 40, end_reason: 'complete', admin_info: { tries } }),
    });
    const lately = { start_timestamp: hour + 15 };
    const traffic = { tries: 1, failed: 0, first_byte_ms: 40, answered_time: hour + 20 };
    const state = { type: 1, status: 1, response_time: 0, test_time: 0, test_outcome: 0, test_failure: null };
    const account = { balance: 0, balance_updated_time: 0 };
    // The answer has no other field of a channel: neither its key nor its models.
    expect(await admin.must(dataApi.channels, lately)).toEqual({
      since: hour + 15,
      channels: items.map(({ id, name }) => ({
        ...state,
        ...account,
        id,
        name,
        traffic: id === called?.id ? traffic : null,
      })),
    });
    expect(items).toHaveLength(2);
    expect((await ann.call(dataApi.channels, lately)).body.code).toBe('insufficient_role');
  });
});

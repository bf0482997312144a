import {
  channelInput,
  costApi,
  logApi,
  logType,
  marginApi,
  noCostRule,
  role,
  type Route,
} from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

describe('calls of cost prices', () => {
  let house: House;
  let root: Agent;
  let id: number;

  beforeAll(async () => {
    house = await openHouse({
      routes: operatorCalls,
    });
    root = await house.person('root', { role: role.root });
    const fields = { type: 1, name: 'main', key: 'sk-x', models: 'gpt-4o-mini,gpt-4o,nobody-knows' };
    const [channel] = await house.core.channels.create(channelInput.parse(fields));
    id = channel!.id;
  });
  afterAll(() => house.close());

  it.each(Object.entries({ ...costApi, ...marginApi } as Record<string, Route>))(
    '%s is for root',
    async (name, route) => {
      const sample = { id, ...noCostRule };
      const admin = await house.person(`a-${name}`, { role: role.admin });
      expect((await admin.call(route, sample)).body.code).toBe('insufficient_role');
      expect((await house.guest.call(route, sample)).status).toBe(401);
    },
  );

  it('return what was saved, and which models sell below it', async () => {
    expect(await root.must(costApi.get, { id })).toEqual(noCostRule);
    const rule = { factor: 0.9, models: { 'gpt-4o': { input: 2.5, output: 10.01 } }, reported: true };
    expect(await root.must(costApi.save, { id, ...rule })).toEqual({ below_cost: ['gpt-4o'] });
    expect(await root.must(costApi.get, { id })).toEqual(rule);
    expect(await root.must(costApi.save, { id, ...noCostRule, factor: 1.5 })).toEqual({
      below_cost: ['gpt-4o-mini', 'gpt-4o'],
    });
    expect(await root.must(costApi.save, { id, ...noCostRule, factor: 1 })).toEqual({ below_cost: [] });
  });

  it('compare the cost of the cache as well', async () => {
    const models = { 'gpt-4o': { input: 2.5, output: 10, cache_read: 1.26 } };
    expect(await root.must(costApi.save, { id, ...noCostRule, models })).toEqual({ below_cost: ['gpt-4o'] });
    const covered = { 'gpt-4o': { input: 2.5, output: 10, cache_read: 1.25, cache_write: 3.125 } };
    expect(await root.must(costApi.save, { id, ...noCostRule, models: covered })).toEqual({ below_cost: [] });
    await root.must(costApi.save, { id, ...noCostRule });
  });

  it.each([{ call: 1, input: 2 }, { output: 2 }, { input: 0, output: 2 }])('refuse %o', async (price) => {
    const answer = await root.call(costApi.save, { id, ...noCostRule, models: { 'gpt-4o': price } });
    expect(answer.body.code).toBe('cost_price_unusable');
  });

  it('name every model that sells below cost, with its channel', async () => {
    await root.must(costApi.save, { id, ...noCostRule, factor: 2 });
    expect(await root.must(marginApi.belowCost, {})).toEqual([
      { channel: id, name: 'main', models: ['gpt-4o-mini', 'gpt-4o'], groups: ['default'] },
    ]);
    await root.must(costApi.save, { id, ...noCostRule });
    expect(await root.must(marginApi.belowCost, {})).toEqual([]);
  });

  it('name the groups in which a model sells below cost, though others cover it', async () => {
    await house.core.settings.set('GroupRatio', JSON.stringify({ default: 1, vip: 0.8, partner: 0.5 }));
    const fields = { type: 1, name: 'shared', key: 'sk-y', models: 'gpt-4o', group: 'default,vip,partner' };
    const [shared] = await house.core.channels.create(channelInput.parse(fields));
    await root.must(costApi.save, { id: shared!.id, ...noCostRule, factor: 0.7 });
    expect(await root.must(marginApi.belowCost, {})).toEqual([
      { channel: shared!.id, name: 'shared', models: ['gpt-4o'], groups: ['partner'] },
    ]);
    await root.must(costApi.save, { id: shared!.id, ...noCostRule });
  });

  it('sum up charges and costs; users and administrators read the row without its cost', async () => {
    const ann = await house.person('ann');
    const admin = await house.person('reader', { role: role.admin });
    await house.core.logs.write({
      type: logType.consume,
      user_id: ann.userId,
      username: 'ann',
      content: '',
      token_id: 5,
      channel_id: id,
      model_name: 'gpt-4o',
      quota: 777,
      cost: 700,
    });
    expect(await root.must(marginApi.sums, { by: 'user' })).toMatchObject({
      rows: [{ id: ann.userId, name: 'ann', charge: 777, cost: 700, margin: 77 }],
      total: { charge: 777, cost: 700, margin: 77 },
      truncated: false,
    });
    for (const answer of [await ann.must(logApi.ownList, {}), await admin.must(logApi.list, {})]) {
      expect(JSON.stringify(answer)).toContain('777');
      expect(JSON.stringify(answer)).not.toMatch(/"cost"|"margin"/);
    }
  });

  it('refuse a channel that does not exist', async () => {
    expect((await root.call(costApi.get, { id: 99_999 })).body.code).toBe('channel_not_found');
  });
});

import { type RehearsalData, rehearsalApi, role, type Route } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { priceRoutes } from '../../../boot/money.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';

describe('rehearsals of prices', () => {
  let house: House;
  let root: Agent;

  beforeAll(async () => {
    house = await openHouse({ routes: (core) => priceRoutes(core) });
    root = await house.person('root-of-all', { role: role.root });
  });
  afterAll(() => house.close());

  it.each(Object.entries(rehearsalApi as Record<string, Route>))('%s is for root', async (name, route) => {
    const admin = await house.person(`admin-${name}`, { role: role.admin });
    expect((await admin.call(route, { rehearsal: 'x' })).body.code).toBe('insufficient_role');
    expect((await house.guest.call(route, { rehearsal: 'x' })).status).toBe(401);
  });

  it('are started, queried and deleted', async () => {
    const draft = { ModelRatio: '{"gpt-4o": 3}' };
    const { id } = (await root.must(rehearsalApi.start, { draft, days: 30 })) as { id: string };
    const state = async () => (await root.must(rehearsalApi.get, { rehearsal: id })) as RehearsalData;
    await expect.poll(async () => (await state()).state, { timeout: 20_000 }).toBe('done');
    expect((await state()).outcome?.total).toEqual({ rows: 0, before: 0, after: 0 });
    await root.must(rehearsalApi.stop, { rehearsal: id });
    expect((await root.call(rehearsalApi.get, { rehearsal: id })).body.code).toBe('rehearsal_gone');
  });

  it('report what is wrong with a draft', async () => {
    const refused = async (draft: Record<string, string>) =>
      (await root.call(rehearsalApi.start, { draft })).body.code;
    expect(await refused({ SystemName: 'x' })).toBe('rehearsal_not_a_price');
    expect(await refused({ ModelRatio: '{"a": "b"}' })).toMatch(/^setting_/);
  });
});

import {
  type RehearsalData,
  rehearsalApi,
  type ReratingData,
  reratingApi,
  role,
  type Route,
} from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPriceChanges, priceRoutes, type PriceChanges } from '../../../boot/money.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';

describe('corrections of charges', () => {
  let house: House;
  let root: Agent;
  let changes: PriceChanges;

  beforeAll(async () => {
    house = await openHouse({
      routes(core) {
        changes = openPriceChanges(core);
        return priceRoutes(core, changes);
      },
    });
    root = await house.person('root-of-all', { role: role.root });
  });
  afterAll(() => house.close());

  const input = { rehearsal: 'x', rerating: 1, reason: 'a reason' };
  it.each(Object.entries(reratingApi as Record<string, Route>))('%s is for root', async (name, route) => {
    const admin = await house.person(`admin-${name}`, { role: role.admin });
    expect((await admin.call(route, input)).body.code).toBe('insufficient_role');
    expect((await house.guest.call(route, input)).status).toBe(401);
  });

  const rehearse = async (): Promise<string> => {
    const { id } = (await root.must(rehearsalApi.start, { draft: { ModelRatio: '{"a": 3}' } })) as {
      id: string;
    };
    const state = async () => (await root.must(rehearsalApi.get, { rehearsal: id })) as RehearsalData;
    await expect.poll(async () => (await state()).state, { timeout: 20_000 }).toBe('done');
    return id;
  };
  const refusal = async (route: Route, given: object) => (await root.call(route, given)).body.code;

  it('are started from a rehearsal, followed, undone, and recorded in the audit', async () => {
    const rehearsal = await rehearse();
    const started = (await root.must(reratingApi.start, { rehearsal, reason: 'mistyped' })) as ReratingData;
    expect(started).toMatchObject({
      state: 'running',
      reason: 'mistyped',
      options: ['ModelRatio'],
      collect: false,
    });
    expect(started.actor_name).toBe('root-of-all');
    const rerating = started.id;
    expect(await refusal(reratingApi.start, { rehearsal, reason: 'x' })).toBe('rerating_running');
    expect(await refusal(reratingApi.revert, { rerating, reason: 'x' })).toBe('rerating_not_ended');
    await changes.reratings.work();
    expect(await root.must(reratingApi.get, { rerating })).toMatchObject({ state: 'done', progress: 1 });
    expect(await refusal(reratingApi.stop, { rerating })).toBe('rerating_not_running');
    expect(await root.must(reratingApi.rows, { rerating })).toMatchObject({ items: [], total: 0 });
    expect(await root.must(reratingApi.list, {})).toMatchObject({ total: 1, items: [{ id: rerating }] });
    await root.must(reratingApi.revert, { rerating, reason: 'it was right' });
    await changes.reratings.work();
    expect(await root.must(reratingApi.get, { rerating })).toMatchObject({
      state: 'reverted',
      revert_reason: 'it was right',
    });
    const { items } = await house.core.audit.list({ before: 0, limit: 10, kind: 'price' });
    expect(items.map(({ kind, target_id: id }) => [kind, id])).toEqual([
      ['price.correct_undo', String(rerating)],
      ['price.correct', String(rerating)],
    ]);
    expect(JSON.stringify(items[1])).toContain('mistyped');
  });

  it('are stopped while they run', async () => {
    const rehearsal = await rehearse();
    const { id: rerating } = (await root.must(reratingApi.start, { rehearsal, reason: 'x' })) as ReratingData;
    expect(await root.must(reratingApi.stop, { rerating })).toMatchObject({ state: 'stopped' });
    await root.must(reratingApi.revert, { rerating, reason: 'it was right' });
    const { items } = await house.core.audit.list({ before: 0, limit: 1, kind: 'price' });
    expect(items[0]?.changes).toEqual({ state: { before: 'stopped', after: 'reverting' } });
  });

  it('are refused without a rehearsal or a reason, and while another one exists', async () => {
    expect(await refusal(reratingApi.start, { rehearsal: 'gone', reason: 'x' })).toBe('rehearsal_gone');
    expect(
      (await root.call(reratingApi.start, { rehearsal: await rehearse(), reason: '  ' })).body.success,
    ).toBe(false);
    for (const route of [reratingApi.get, reratingApi.rows, reratingApi.stop])
      expect(await refusal(route, { rerating: 404 })).toBe('rerating_not_found');
    expect(await refusal(reratingApi.revert, { rerating: 404, reason: 'x' })).toBe('rerating_not_found');
  });
});

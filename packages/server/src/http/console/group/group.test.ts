import { groupApi, modelApi, role } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

describe('groups and built-in models', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse({
      routes: operatorCalls,
    });
  });
  afterAll(() => house.close());

  it('list the groups that have a ratio, for administrators', async () => {
    const admin = await house.person('admin', { role: role.admin });
    expect(await admin.must(groupApi.list, {})).toEqual(['default', 'vip', 'svip']);
    await house.core.settings.setMany({ GroupRatio: '{"default":1,"eu":2}' });
    expect(await admin.must(groupApi.list, {})).toEqual(['default', 'eu']);
    const user = await house.person('user');
    expect((await user.call(groupApi.list, {})).body.code).toBe('insufficient_role');
  });

  it('map provider numbers to their models, for any signed-in user', async () => {
    const user = await house.person('other');
    const models = (await user.must(modelApi.byType, {})) as Record<string, string[]>;
    expect(models['1']).toContain('gpt-4o');
    expect(models['43']).toEqual(['deepseek-v4-flash', 'deepseek-v4-pro']);
    expect((await house.guest.call(modelApi.byType, {})).status).toBe(401);
  });
});

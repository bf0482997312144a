import { channelApi, channelHealthApi, role, type SiteHealth } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({ routes: operatorCalls });
});
afterAll(() => house.close());

it('operators see how channels fare; everybody sees models, without channels, once the site shows them', async () => {
  const admin = await house.person('admin', { role: role.admin });
  const user = await house.person('user');
  const made = {
    type: 1,
    name: 'secret account',
    key: 'sk-x',
    models: 'gpt-4o-mini,unused',
    group: 'default',
  };
  await admin.must(channelApi.create, made);
  house.core.attempts.attempted({ id: 7 }, 'gpt-4o-mini');
  house.core.attempts.refused('gpt-4o-mini');
  await house.core.attempts.flush();
  expect(await admin.must(channelHealthApi.report, { period: 'day', by: 'model' })).toMatchObject({
    rows: [{ channel: 7, model: 'gpt-4o-mini', tries: 1, failed: 0 }],
  });
  expect(await admin.must(channelHealthApi.report, { channel: 8 })).toMatchObject({ rows: [] });

  expect(await user.must(channelHealthApi.site, {})).toEqual({ since: 0, models: [] });
  await house.core.settings.set('StatusPageEnabled', 'true');
  const { since, models } = (await user.must(channelHealthApi.site, {})) as SiteHealth;
  expect(since).toBeGreaterThan(0);
  // The only call was refused. A model without calls is left out, and so is its channel.
  expect(models).toMatchObject([{ model: 'gpt-4o-mini', state: 'down', success_rate: 0 }]);
  expect(JSON.stringify(models)).not.toMatch(/channel|secret/);
});

import { modelMonthApi, pricingApi, role } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { priceRoutes } from '../../../boot/money.ts';
import { type House, openHouse } from '../../../testing/harness.ts';

describe('models and what they cost', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse({ routes: (core) => priceRoutes(core) });
  });
  afterAll(() => house.close());

  it('a month at another model’s prices is of one’s own calls for users, and of the site’s for administrators', async () => {
    const ann = await house.person('ann');
    const own = { model: 'gpt-4o', rows: 0, before: 0, after: 0, complete: true };
    expect(await ann.must(modelMonthApi.own, { model: 'gpt-4o' })).toMatchObject(own);
    expect((await ann.call(modelMonthApi.site, { model: 'gpt-4o' })).body.code).toBe('insufficient_role');
    const admin = await house.person('an-admin', { role: role.admin });
    expect(await admin.must(modelMonthApi.site, { model: 'gpt-4o' })).toMatchObject(own);
    expect((await admin.call(modelMonthApi.own, { model: 'nameless' })).body.code).toBe(
      'model_without_price',
    );
    expect((await house.guest.call(modelMonthApi.own, { model: 'gpt-4o' })).status).toBe(401);
  });

  it('the list is public, or for signed-in users only, as the operator has set it', async () => {
    const bob = await house.person('bob');
    expect((await house.guest.call(pricingApi.list, {})).status).toBe(200);
    const known = await house.guest.call(pricingApi.facts, { model: 'openai/gpt-4o' });
    expect(known.body).toMatchObject({ data: { facts: { vendor: 'openai', input: 128_000 } } });
    expect((await house.guest.call(pricingApi.facts, { model: 'unknown' })).body.data).not.toHaveProperty(
      'facts',
    );
    await house.core.settings.set('PublicPricingEnabled', 'false');
    expect((await house.guest.call(pricingApi.list, {})).body.code).toBe('not_logged_in');
    expect((await house.guest.call(pricingApi.facts, { model: 'gpt-4o' })).body.code).toBe('not_logged_in');
    expect((await bob.call(pricingApi.list, {})).body.success).toBe(true);
  });
});

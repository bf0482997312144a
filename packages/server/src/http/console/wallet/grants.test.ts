import {
  grantApi,
  type LiabilitiesData,
  redemptionApi,
  teamAdminApi,
  teamApi,
  type TeamData,
  userApi,
  walletApi,
} from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moneyRoutes, openAutoTopUps, openPlans, openStatements } from '../../../boot/money.ts';
import { createPayments } from '../../../services/money/payments/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, noMail, openHouse, operatorCalls } from '../../../testing/harness.ts';

describe('the credit in a wallet', () => {
  let house: House;
  let root: Agent;
  let alice: Agent;

  beforeAll(async () => {
    house = await openHouse({
      routes: (core, people) => {
        const plans = openPlans(core, { planStops: () => undefined });
        const stripeUrl = core.env.stripeUrl;
        const payments = createPayments({ ...core, db: core.store.db, plans, stripeUrl });
        return [
          ...moneyRoutes(
            core,
            {
              payments,
              plans,
              autoTopUps: openAutoTopUps(core, { autoTopUpFails: () => undefined }),
              statements: openStatements(core, noMail),
            },
            people,
          ),
          ...operatorCalls(core),
        ];
      },
    });
    root = await house.person('root', { role: 100 });
    alice = await house.person('alice', { quota: 1_000 });
  });
  afterAll(() => house.close());

  const soon = () => Math.floor(house.core.clock() / 1_000) + 86_400;

  it('is read by its owner and by root, and adds up to the balance', async () => {
    const [key] = (await root.must(redemptionApi.create, {
      name: 'gift',
      quota: 500,
      count: 1,
      use_within_days: 3,
    })) as string[];
    await alice.must(walletApi.redeem, { key: key! });
    const end = soon();
    const gift = { id: alice.userId, action: 'add_quota', value: 70, reason: 'trial' } as const;
    await root.must(userApi.manage, { ...gift, expires_time: end });
    // Used, and not taken from the credit yet.
    await house.core.store.db
      .updateTable('accounts')
      .set((e) => ({ balance: e('balance', '-', 100) }))
      .where('granted', '=', 1_570)
      .execute();
    const own = await alice.must(grantApi.own, {});
    expect(own).toMatchObject({
      balance: 1_470,
      grants: [
        { source: 'redeem', amount: 500, left: 470, paid: 0, refundable: false },
        { left: 1_000, expires_time: 0 },
      ],
    });
    expect(await root.must(grantApi.ofUser, { id: alice.userId })).toEqual(own);
    const admin = await house.person('admin', { role: 10 });
    for (const agent of [alice, admin])
      expect((await agent.call(grantApi.ofUser, { id: alice.userId })).body.code).toBe('insufficient_role');
    expect((await root.call(grantApi.ofUser, { id: 999 })).body.code).toBe('user_not_found');
  });

  it('is summed up for root by source, to the unit of all balances', async () => {
    const before = (await root.must(grantApi.liabilities, {})) as LiabilitiesData;
    await house.person('carol', { quota: 33 });
    const after = (await root.must(grantApi.liabilities, {})) as LiabilitiesData;
    const { rows } = await house.core.store.db
      .selectFrom('accounts')
      .select((e) => e.fn.sum<number>('balance').as('balance'))
      .execute()
      .then((found) => ({ rows: found }));
    expect(after.balance - before.balance).toBe(33);
    expect(Number(rows[0]!.balance)).toBe(after.balance);
    expect(after.rows.reduce((sum, { left }) => sum + left, 0)).toBe(after.balance);
    for (const { left, bought, given } of after.rows) expect(bought + given).toBe(left);
    expect(after.rows.find(({ source }) => source === 'redeem')).toMatchObject({ expiring: 470 });
    expect((await alice.call(grantApi.liabilities, {})).body.code).toBe('insufficient_role');
  });

  it('of an organisation is read by those who read its statement', async () => {
    const team = (await alice.must(teamApi.create, { name: 'Research' })) as TeamData;
    const end = soon();
    await root.must(teamAdminApi.adjust, { id: team.id, quota: 900, reason: 'trial', expires_time: end });
    expect(await alice.must(grantApi.ofTeam, { id: team.id })).toMatchObject({
      balance: 900,
      grants: [{ source: 'admin', left: 900, expires_time: end }],
    });
    const bob = await house.person('bob');
    expect((await bob.call(grantApi.ofTeam, { id: team.id })).body.code).toBe('team_not_found');
  });
});

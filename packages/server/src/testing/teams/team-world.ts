import { teamRole } from '@tollgate/contract';
import type { Core } from '../../boot/site.ts';
import { accounts, teamMembers, teams } from '../../store/index.ts';
import { addCaller, type GatewayHarness, type TestCaller } from '../gateway-harness.ts';

/** A team of callers, for tests of the relay. */
export interface TestTeam {
  id: number;
  accountId: number;
}

/** Opens a team with a balance and owner id 0. */
export async function addTeam({ store, ledger }: Core, balance: number): Promise<TestTeam> {
  const accountId = await accounts.create(store.db);
  const id = await teams.create(store.db, {
    name: 'Test team',
    account_id: accountId,
    owner_id: 0,
    group: 'default',
    status: 1,
    created_time: 1,
  });
  await ledger.credit({ txn: `gift:team:${id}`, kind: 'gift', accountId, userId: 0, amount: balance });
  return { id, accountId };
}

/** Adds a caller with a key of the team. A limit (monthly) or an allowance (of the key) of null is unlimited. */
export async function addTeamCaller(
  { core }: Pick<GatewayHarness, 'core'>,
  team: TestTeam,
  limit: number | null = null,
  allowance: number | null = null,
): Promise<TestCaller & { memberId: number }> {
  const caller = await addCaller(core, { balance: 0, allowance, group: 'default' });
  const { store, ledger, clock } = core;
  const memberId = await teamMembers.create(store.db, {
    team_id: team.id,
    user_id: caller.userId,
    role: teamRole.member,
    joined_time: 1,
  });
  await store.db.updateTable('tokens').set({ team_id: team.id }).where('id', '=', caller.tokenId).execute();
  if (limit !== null) {
    const now = new Date(clock());
    const since = Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1_000;
    const columns = {
      unlimited_quota: 0,
      limit_period: 'month',
      limit_quota: limit,
      period_start: since,
    };
    await teamMembers.update(store.db, memberId, columns);
    await ledger.grantLimit({ txn: `limit:${memberId}`, memberId, limit, since, actorId: 0 });
  }
  return { ...caller, accountId: team.accountId, memberId };
}

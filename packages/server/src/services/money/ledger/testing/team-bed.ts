import { type Store, teamMembers, teams } from '../../../../store/index.ts';
import type { Ledger } from '../ledger.ts';
import { openAccount } from '../verbs/credit.ts';
import { addPerson, type Person, unique } from './test-bed.ts';

/** A team's wallet, for tests. */
export interface Team {
  teamId: number;
  accountId: number;
}

/** A user with calls that a team pays for; `accountId` is the team's wallet. */
export interface Member extends Person {
  teamId: number;
  memberId: number;
  /** The user's own wallet. */
  ownAccountId: number;
}

/** A team with `balance` quota units. */
export async function addTeam(store: Store, ledger: Ledger, { balance }: { balance: number }): Promise<Team> {
  const accountId = await openAccount(store.db);
  const teamId = await teams.create(store.db, {
    name: 'team',
    account_id: accountId,
    owner_id: 0,
    group: 'default',
    status: 1,
    created_time: 0,
  });
  await ledger.credit({ txn: unique('gift'), kind: 'gift', accountId, userId: 0, amount: balance });
  return { teamId, accountId };
}

interface MemberParts {
  /** Limit of the member on the team's wallet; null for none. */
  limit?: number | null;
  /** Allowance of the key. */
  allowance?: number | null;
  /** The member's own balance. */
  own?: number;
}

/** A member of a team with a key of the team. */
export async function addMember(
  store: Store,
  ledger: Ledger,
  team: Team,
  { limit = null, allowance = null, own = 0 }: MemberParts,
): Promise<Member> {
  const person = await addPerson(store, ledger, { balance: own, allowance });
  const { db } = store;
  const memberId = await teamMembers.create(db, {
    team_id: team.teamId,
    user_id: person.userId,
    role: 1,
    joined_time: 0,
  });
  await db.updateTable('tokens').set({ team_id: team.teamId }).where('id', '=', person.tokenId).execute();
  if (limit !== null) await limitMember(store, ledger, memberId, limit);
  return { ...person, ...team, memberId, ownAccountId: person.accountId };
}

/** Sets a limit on the member's total use; null removes it. */
export async function limitMember(
  store: Store,
  ledger: Ledger,
  memberId: number,
  limit: number | null,
): Promise<void> {
  await ledger.change(async (money) => {
    await teamMembers.update(money.db, memberId, { unlimited_quota: limit === null ? 1 : 0 });
  });
  await ledger.grantLimit({ txn: unique('limit'), memberId, limit, since: 0, actorId: 1 });
}

/** The figures of a member's row. */
export async function memberFigures(store: Store, { memberId }: Member) {
  const row = await store.db
    .selectFrom('team_members')
    .selectAll()
    .where('id', '=', memberId)
    .executeTakeFirstOrThrow();
  return { left: row.remain_quota, held: row.held, used: row.used_quota };
}

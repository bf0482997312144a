import { AppError, keptText, logType, type TeamData, teamRole, teamStatus } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { teamInvitations, teamMembers, teams, tokens, users } from '../../../store/index.ts';
import { move, openAccount } from '../../money/ledger/index.ts';
import type { Membership } from './access.ts';
import { changingTeam, type TeamsDeps } from './deps.ts';
import { setLimit } from './limit.ts';
import { amountWords } from './words.ts';
import { showTeams } from './view.ts';

/** Maximum number of teams that one user may own. */
const maxOwned = 20;

/** Creates a team with its owner. Throws `team_limit_reached`. */
export async function createTeam(deps: TeamsDeps, ownerId: number, name: string): Promise<TeamData> {
  if ((await teams.countOwned(deps.db, ownerId)) >= maxOwned)
    throw new AppError('team_limit_reached', { limit: maxOwned });
  const teamId = await deps.ledger.change(async ({ db, at }) => {
    const id = await teams.create(db, {
      name,
      account_id: await openAccount(db),
      owner_id: ownerId,
      group: 'default',
      status: teamStatus.enabled,
      created_time: at,
    });
    await deps.audit.record(db, { target: { type: 'team', id, name } });
    await teamMembers.create(db, { team_id: id, user_id: ownerId, role: teamRole.owner, joined_time: at });
    return id;
  });
  deps.log.info({ actorId: ownerId, teamId }, 'a user opened a team');
  return showTeam(deps, teamId, ownerId);
}

/** A team for one of its members. */
export async function showTeam(
  deps: Pick<TeamsDeps, 'db' | 'clock'>,
  teamId: number,
  userId: number,
): Promise<TeamData> {
  const member = await teamMembers.find(deps.db, teamId, userId);
  const [team] = member ? await showTeams(deps, [member]) : [];
  if (!team) throw new AppError('team_not_found');
  return team;
}

export async function renameTeam(deps: TeamsDeps, { team }: Membership, name: string): Promise<void> {
  await changingTeam(deps, team.id, ({ db }) => teams.update(db, team.id, { name }));
}

/**
 * Transfers a team to another member; the former owner becomes a manager, and the new one has no limit. Throws
 * `team_member_not_found`.
 */
export async function handOver(
  deps: TeamsDeps,
  { team, member }: Membership,
  userId: number,
  requestId: string,
): Promise<void> {
  await changingTeam(
    deps,
    team.id,
    async (money) => {
      const { db } = money;
      const [first, second] = [userId, member.user_id].toSorted((a, b) => a - b) as [number, number];
      const locked = [
        await teamMembers.findLocked(db, team.id, first),
        await teamMembers.findLocked(db, team.id, second),
      ];
      const heir = locked.find((row) => row?.user_id === userId);
      const before = locked.find((row) => row?.user_id === member.user_id);
      if (!heir || userId === member.user_id) throw new AppError('team_member_not_found');
      // Of two simultaneous transfers, the second finds that the actor is no longer the owner.
      if (before?.role !== teamRole.owner) throw new AppError('team_role_insufficient');
      await setLimit(money, heir, { period: '', quota: 0 }, { actorId: member.user_id, requestId });
      await teamMembers.update(db, before.id, { role: teamRole.manager });
      await teamMembers.update(db, heir.id, { role: teamRole.owner });
      await teams.update(db, team.id, { owner_id: userId });
    },
    { userId },
  );
  deps.log.info({ actorId: member.user_id, teamId: team.id, userId }, 'a team has a new owner');
}

/**
 * Deletes a team: its keys stop, its invitations become invalid, and its balance is moved to the owner. Refused while
 * calls hold any of it (`team_has_running_calls`), so that nothing is lost. Returns the moved amount.
 */
export async function removeTeam(
  deps: TeamsDeps,
  { team, member }: Membership,
  requestId: string,
): Promise<number> {
  const back = await changingTeam(deps, team.id, async (money) => {
    const { db } = money;
    const owner = await users.find(db, member.user_id);
    if (!owner) throw new AppError('user_not_found');
    const moved = await move(money, {
      txn: `team-end:${requestId}`,
      from: team.account_id,
      to: owner.account_id,
      amount: 'all',
      userId: owner.id,
      log: (amount) => ({
        type: logType.system,
        content: keptText('teamWithdrawn', { team: team.name, amount: amountWords(deps.settings, amount) }),
      }),
    });
    if (moved.after !== 0 || moved.held !== 0) throw new AppError('team_has_running_calls');
    await teamInvitations.withdrawAll(db, team.id);
    await tokens.softDeleteOfTeam(db, team.id, seconds(deps.clock));
    if (!(await teams.update(db, team.id, { deleted_at: money.at }))) throw new AppError('team_not_found');
    return moved.amount;
  });
  deps.log.info({ actorId: member.user_id, teamId: team.id, back }, 'an owner deleted a team');
  return back;
}

import {
  AppError,
  keptText,
  logType,
  type ManagedTeamData,
  type Page,
  role,
  teamRole,
} from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { accounts, teamMembers, teams, users } from '../../../store/index.ts';
import { type Actor, authorize } from '../auth/index.ts';
import { adjust, InsufficientQuota } from '../../money/ledger/index.ts';
import { changingTeam, type TeamsDeps } from './deps.ts';
import { setLimit } from './limit.ts';
import { amountWords } from './words.ts';

async function show(deps: TeamsDeps, rows: readonly teams.TeamRow[]): Promise<ManagedTeamData[]> {
  const { db } = deps;
  const ids = rows.map(({ id }) => id);
  const ownerIds = rows.map((team) => team.owner_id);
  const [counts, used, wallets, names, roles] = await Promise.all([
    teamMembers.counts(db, ids),
    teamMembers.usedByTeams(db, ids),
    accounts.findBalances(
      db,
      rows.map((team) => team.account_id),
    ),
    users.findNames(db, ownerIds),
    users.findRoles(db, ownerIds),
  ]);
  return rows.map((team) => ({
    id: team.id,
    name: team.name,
    group: team.group,
    regions: team.regions,
    no_retention: team.no_retention === 1,
    status: team.status,
    owner_id: team.owner_id,
    owner_name: names.get(team.owner_id) ?? '',
    owner_role: roles.get(team.owner_id) ?? role.guest,
    created_time: team.created_time,
    member_count: counts.get(team.id) ?? 0,
    balance: wallets.get(team.account_id)?.balance ?? 0,
    held: wallets.get(team.account_id)?.held ?? 0,
    used_quota: used.get(team.id) ?? 0,
  }));
}

/** Every team, newest first. */
export async function listAllTeams(
  deps: TeamsDeps,
  { keyword, page, pageSize }: { keyword: string; page: number; pageSize: number },
): Promise<Page<ManagedTeamData>> {
  const at = Math.max(1, page);
  const slice = { offset: (at - 1) * pageSize, limit: pageSize };
  const { rows, total } = await teams.page(deps.db, keyword, slice);
  return { items: await show(deps, rows), total, page: at, page_size: pageSize };
}

/** Columns that administrators may change; absent fields stay unchanged. */
export interface TeamEdit {
  name?: string | undefined;
  group?: string | undefined;
  regions?: string | undefined;
  no_retention?: boolean | undefined;
  status?: number | undefined;
  /** Name of the member who becomes the owner. */
  ownerId?: number | undefined;
}

/**
 * A team is protected like its owner: actors need the same right as for the owner. Any administrator may act on a team
 * without an owner.
 */
async function findFor(deps: TeamsDeps, actor: Actor, id: number, action: 'edit' | 'adjust') {
  const team = await teams.find(deps.db, id);
  if (!team) throw new AppError('team_not_found');
  const owner = await users.find(deps.db, team.owner_id);
  authorize(actor, action, owner ?? { id: 0, role: role.common });
  return { team, owner };
}

/** Changes a team for an administrator; a ban stops its keys within a second on every route. */
export async function editTeam(
  deps: TeamsDeps,
  actor: Actor,
  id: number,
  { ownerId, no_retention: noRetention, ...edit }: TeamEdit,
  requestId: string,
): Promise<ManagedTeamData> {
  await findFor(deps, actor, id, 'edit');
  if (edit.group !== undefined && !deps.isGroup(edit.group)) {
    throw new AppError('group_unknown', { group: edit.group });
  }
  const columns = { ...edit, ...(noRetention !== undefined && { no_retention: Number(noRetention) }) };
  const change = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
  const work = async (money: Parameters<Parameters<typeof changingTeam>[2]>[0]): Promise<void> => {
    if (ownerId !== undefined) {
      const heir = await teamMembers.findLocked(money.db, id, ownerId);
      if (!heir) throw new AppError('team_member_not_found');
      await setLimit(money, heir, { period: '', quota: 0 }, { actorId: actor.id, requestId });
      await teamMembers.lowerOwners(money.db, id);
      await teamMembers.update(money.db, heir.id, { role: teamRole.owner });
      await teams.update(money.db, id, { owner_id: ownerId });
    }
    if (Object.keys(change).length > 0) await teams.update(money.db, id, change);
  };
  const note = { ...change, ...(ownerId !== undefined && { owner_id: ownerId }) };
  await changingTeam(deps, id, work, { evenBanned: true, note });
  deps.log.info({ actorId: actor.id, teamId: id, change, ownerId }, 'an administrator changed a team');
  return findShown(deps, id);
}

async function findShown(deps: TeamsDeps, id: number): Promise<ManagedTeamData> {
  const [shown] = await show(deps, await teams.findMany(deps.db, [id]));
  if (!shown) throw new AppError('team_not_found');
  return shown;
}

/** A change of a team's wallet by an administrator. */
export interface TeamQuotaChange {
  id: number;
  /** Quota units; below 0 to subtract. */
  quota: number;
  reason: string;
  /** Unix seconds at which added credit expires; 0 for never. */
  expiresAt: number;
}

/**
 * Adds to or subtracts from a team's wallet, as a signed entry with actor and reason. Throws
 * `quota_would_be_negative`, and `credit_expiry_past`. Only an added amount can have an expiry.
 */
export async function adjustTeam(
  deps: TeamsDeps,
  actor: Actor,
  { id, quota, reason, expiresAt }: TeamQuotaChange,
  requestId: string,
): Promise<ManagedTeamData> {
  if (expiresAt > 0 && quota <= 0) throw new AppError('invalid_parameter');
  if (expiresAt > 0 && expiresAt <= seconds(deps.clock)) throw new AppError('credit_expiry_past');
  const { team, owner } = await findFor(deps, actor, id, 'adjust');
  const content = (before: number, after: number): string =>
    keptText('teamQuotaChanged', {
      team: team.name,
      before: amountWords(deps.settings, before),
      after: amountWords(deps.settings, after),
    });
  try {
    await changingTeam(
      deps,
      id,
      (money) =>
        adjust(money, {
          txn: `adjust:${requestId}`,
          accountId: team.account_id,
          userId: team.owner_id,
          change: { by: quota },
          actorId: actor.id,
          reason,
          expiresAt,
          ...(owner && { log: { type: logType.manage, content, teamId: id } }),
        }),
      { evenBanned: true, note: { quota, reason, ...(expiresAt > 0 && { expires_time: expiresAt }) } },
    );
  } catch (error) {
    if (!(error instanceof InsufficientQuota)) throw error;
    throw new AppError('quota_would_be_negative', { available: error.available }, error);
  }
  return findShown(deps, id);
}

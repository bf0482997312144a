import { AppError, teamRole, teamStatus, teamTokenApi, type TokenData } from '@tollgate/contract';
import type { Pricing } from '../../../services/money/pricing/index.ts';
import type { Teams } from '../../../services/people/teams/index.ts';
import type { Owner, Tokens } from '../../../services/people/tokens/index.ts';
import { type CallContext, requireMembership } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { type ChoiceDeps, modelsWithin } from '../group/index.ts';

export interface TeamTokenDeps extends ChoiceDeps {
  teams: Teams;
  tokens: Tokens;
  pricing: Pick<Pricing, 'groupChoices' | 'usableGroups'>;
  /** Names of users by id. */
  findNames(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** The keys that a member may access: their own, or all keys for managers and owners. */
function ownerOf(context: CallContext): Owner {
  const { team, member } = requireMembership(context);
  const all = member.role >= teamRole.manager;
  return { id: member.user_id, group: team.group, team: { id: team.id, all } };
}

/** The same for a change, which is refused in a banned team. */
function requireChanger(context: CallContext): Owner {
  if (requireMembership(context).team.status !== teamStatus.enabled) throw new AppError('team_is_banned');
  return ownerOf(context);
}

/** Keys of a team. */
export function teamTokenRoutes({ tokens, ...deps }: TeamTokenDeps): MountedRoute[] {
  const named = async (rows: readonly TokenData[]) => {
    const names = await deps.findNames([...new Set(rows.map((row) => row.user_id))]);
    return rows.map((row) => ({ ...row, username: names.get(row.user_id) ?? '' }));
  };
  const one = async (row: TokenData) => {
    const [shown] = await named([row]);
    if (!shown) throw new AppError('row_not_found');
    return shown;
  };
  return implement(teamTokenApi, {
    list: async ({ p, size, sort }, context) =>
      named(await tokens.list(ownerOf(context), { offset: p * size, limit: size, sort })),
    get: async ({ token }, context) => one(await tokens.get(ownerOf(context), token)),
    create: async (input, context) =>
      one(await tokens.create(requireChanger(context), input, context.requestId)),
    update: async ({ token, status, status_only, ...change }, context) =>
      one(
        status_only
          ? await tokens.setStatus(requireChanger(context), { id: token, status })
          : await tokens.edit(
              requireChanger(context),
              { ...change, id: token, status_only: false },
              context.requestId,
            ),
      ),
    async remove({ token }, context) {
      await tokens.remove(ownerOf(context), token);
      return null;
    },
    models: (_, context) => modelsWithin(deps, requireMembership(context).team.group),
    groups: (_, context) =>
      deps.pricing.groupChoices(requireMembership(context).team.group, context.language),
  });
}

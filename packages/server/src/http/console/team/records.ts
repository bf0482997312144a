import { teamRecordApi, teamRole } from '@tollgate/contract';
import type { Logs } from '../../../services/upkeep/logs/index.ts';
import type { Teams } from '../../../services/people/teams/index.ts';
import { type CallContext, membershipIn } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface TeamRecordDeps {
  teams: Teams;
  logs: Pick<Logs, 'teamList' | 'teamStat'>;
}

/** Whose rows a member sees: their own, or all for managers and owners (undefined). */
function readerOf(context: CallContext): { teamId: number; userId: number | undefined } {
  const { team, member } = membershipIn(context);
  return { teamId: team.id, userId: member.role >= teamRole.manager ? undefined : member.user_id };
}

/** A team's log and the statement of its wallet. */
export const teamRecordRoutes = ({ teams, logs }: TeamRecordDeps): MountedRoute[] =>
  implement(teamRecordApi, {
    logs: ({ p, page_size, ...filters }, context) =>
      logs.teamList(readerOf(context), filters, { page: p, pageSize: page_size }),
    logStat: (filters, context) => logs.teamStat(readerOf(context), filters),
    statement: ({ month, p, page_size }, context) =>
      teams.statement(membershipIn(context), { month, page: p, pageSize: page_size }),
  });

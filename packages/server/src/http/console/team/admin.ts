import { teamAdminApi } from '@tollgate/contract';
import type { Teams } from '../../../services/people/teams/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

/** All teams, for administrators. */
export const teamAdminRoutes = ({ teams }: { teams: Teams }): MountedRoute[] =>
  implement(teamAdminApi, {
    list: ({ p, page_size, keyword }) => teams.all({ page: p, pageSize: page_size, keyword }),
    update: ({ id, owner_id, ...edit }, context) =>
      teams.edit(actorOf(context), id, { ...edit, ownerId: owner_id }, context.requestId),
    adjust: ({ id, quota, reason }, context) =>
      teams.adjust(actorOf(context), { id, quota, reason }, context.requestId),
  });

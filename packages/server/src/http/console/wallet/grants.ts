import { grantApi } from '@tollgate/contract';
import type { Grants } from '../../../services/money/grants/index.ts';
import { requireActor, requireMembership } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

/** The calls about the credit in wallets (docs/money.md#grants). */
export const grantRoutes = ({ grants }: { grants: Grants }): MountedRoute[] =>
  implement(grantApi, {
    own: (_, context) => grants.ofUser(requireActor(context).id),
    ofUser: ({ id }) => grants.ofUser(id),
    liabilities: () => grants.liabilities(),
    ofTeam: (_, context) => grants.ofAccount(requireMembership(context).team.account_id),
  });

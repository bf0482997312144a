import { AppError, role, selfApi } from '@tollgate/contract';
import type { Accounts } from '../../../services/people/accounts/index.ts';
import type { Auth } from '../../../services/people/auth/index.ts';
import type { Pricing } from '../../../services/money/pricing/index.ts';
import { requireActor, type CallContext, clearSessionCookie } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { type ChoiceDeps, modelsWithin } from '../group/index.ts';

export interface SelfRouteDeps extends ChoiceDeps {
  accounts: Accounts;
  auth: Pick<Auth, 'renewAccessToken' | 'createAccessToken' | 'listAccessTokens' | 'endAccessToken'>;
  pricing: Pick<Pricing, 'describeGroups' | 'groupChoices' | 'usableGroups'>;
}

/** The group with the choices that guests see. */
const guestGroup = 'default';

const requireSession = ({ credential }: CallContext): string | undefined =>
  credential?.kind === 'session' ? credential.idHash : undefined;

/** A user's own account (docs/compatibility.md#envelope-and-routes). */
export function selfRoutes({ accounts, auth, pricing, routing }: SelfRouteDeps): MountedRoute[] {
  return implement(selfApi, {
    get: (_input, context) => accounts.self(requireActor(context).id),
    async update({ username, display_name, password, original_password }, context) {
      const edit = { username, displayName: display_name, password, originalPassword: original_password };
      await accounts.editSelf(requireActor(context), edit, {
        sessionIdHash: requireSession(context),
        ip: context.ip,
      });
      return null;
    },
    async remove(_input, context) {
      await accounts.removeSelf(requireActor(context));
      clearSessionCookie(context);
      return null;
    },
    models: (_input, context) => modelsWithin({ pricing, routing }, requireActor(context).group),
    groups: (_input, context) => pricing.groupChoices(requireActor(context).group, context.language),
    publicGroups: (_input, { language }) => pricing.describeGroups(guestGroup, language),
    accessToken: (_input, context) => auth.renewAccessToken(requireActor(context).id, context.language),
    accessTokens: (_input, context) => auth.listAccessTokens(requireActor(context).id),
    createAccessToken(made, context) {
      const actor = requireActor(context);
      if (made.scope === 'scim' && actor.role < role.root) throw new AppError('insufficient_role');
      return auth.createAccessToken(actor.id, made, context.language);
    },
    async endAccessToken({ id }, context) {
      await auth.endAccessToken(requireActor(context).id, id);
      return null;
    },
    aff: (_input, context) => accounts.inviteCode(requireActor(context).id),
    async affTransfer({ quota }, context) {
      await accounts.transferReward(requireActor(context), quota, context.requestId);
      return null;
    },
    async language({ language }, context) {
      await accounts.saveLanguage(requireActor(context), language);
      return null;
    },
    async setting(input, context) {
      await accounts.saveSetting(requireActor(context), input);
      return null;
    },
  });
}

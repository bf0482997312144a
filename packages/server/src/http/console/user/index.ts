import { AppError, emailApi, userApi, personalDataApi } from '@tollgate/contract';
import type { Auth } from '../../../services/people/auth/index.ts';
import type { Accounts } from '../../../services/people/accounts/index.ts';
import { requireActor, type CallContext } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { type OauthRouteDeps, oauthRoutes } from './oauth.ts';
import { type PasskeyRouteDeps, passkeyRoutes } from './passkeys.ts';
import { type SecondFactorRouteDeps, secondFactorRoutes } from './second-factor.ts';
import { type SelfRouteDeps, selfRoutes } from './self.ts';
import { type SignInRouteDeps, signInRoutes } from './sign-in.ts';
import type { TransportCheck } from '../../plain-transport.ts';
import type { PersonalData } from '../../../services/upkeep/personal-data/index.ts';

interface EmailRouteDeps {
  accounts: Pick<Accounts, 'sendCode' | 'askReset' | 'resetPassword' | 'bindEmail'>;
  /** Refuses passwords sent without encryption. */
  checkTransport: TransportCheck;
}

/** Codes and links by mail (docs/compatibility.md#mail). */
function emailRoutes({ accounts, checkTransport }: EmailRouteDeps): MountedRoute[] {
  const bind = async (input: { email: string; code: string }, context: CallContext): Promise<null> => {
    // A GET that changes something: a link on another site must not give the account its author's address.
    if (!context.isSameOrigin) throw new AppError('cross_site');
    await accounts.bindEmail(requireActor(context), input, context.language);
    return null;
  };
  return implement(emailApi, {
    async sendCode({ email }, { language }) {
      await accounts.sendCode(email, language);
      return null;
    },
    async askReset({ email }, { language }) {
      await accounts.askReset(email, language);
      return null;
    },
    reset(link, context) {
      checkTransport(context);
      return accounts.resetPassword(link, context.language);
    },
    bindByGet: bind,
    bind,
  });
}

interface UserRouteDeps
  extends
    SelfRouteDeps,
    SignInRouteDeps,
    EmailRouteDeps,
    OauthRouteDeps,
    SecondFactorRouteDeps,
    PasskeyRouteDeps {
  accounts: Accounts;
  auth: Auth;
}

/** An amount in the modes of `add_quota`: added, subtracted, or the new balance. */
function readChange(mode: 'add' | 'subtract' | 'override', value: number): { by: number } | { to: number } {
  if (mode === 'override') {
    if (value < 0) throw new AppError('invalid_parameter');
    return { to: value };
  }
  return { by: mode === 'subtract' ? -value : value };
}

/** User administration (docs/compatibility.md#envelope-and-routes). */
const administration = ({ accounts }: UserRouteDeps): MountedRoute[] =>
  implement(userApi, {
    list: ({ p, page_size, sort }, context) =>
      accounts.find(requireActor(context), { page: p, pageSize: page_size, keyword: '', group: '', sort }),
    search: ({ p, page_size, keyword, group, sort }, context) =>
      accounts.find(requireActor(context), { page: p, pageSize: page_size, keyword, group, sort }),
    get: ({ id }, context) => accounts.get(requireActor(context), id),
    async create({ username, password, display_name, role }, context) {
      await accounts.createUser(requireActor(context), {
        username,
        password,
        displayName: display_name,
        role,
      });
      return null;
    },
    async update({ id, display_name, ...edit }, context) {
      await accounts.edit(
        requireActor(context),
        id,
        { ...edit, displayName: display_name },
        context.requestId,
      );
      return null;
    },
    async manage({ id, action, value, mode, reason, expires_time: expiresAt }, context) {
      const actor = requireActor(context);
      if (action !== 'add_quota') return accounts.manage(actor, id, action);
      const { requestId } = context;
      const change = readChange(mode, value);
      await accounts.adjustQuota(actor, id, { change, reason, expiresAt, requestId });
      const { role, status } = await accounts.get(actor, id);
      return { role, status };
    },
    async endSessions({ id }, context) {
      await accounts.endSessions(requireActor(context), id);
      return null;
    },
    async remove({ id }, context) {
      await accounts.erase(requireActor(context), id);
      return null;
    },
  });

/** Every call about people: signing in, one's own account, other people's. */
export const userRoutes = (deps: UserRouteDeps): MountedRoute[] => [
  ...signInRoutes(deps),
  ...emailRoutes(deps),
  ...oauthRoutes(deps),
  ...secondFactorRoutes(deps),
  ...passkeyRoutes(deps),
  ...selfRoutes(deps),
  ...administration(deps),
];

/** The export of one's own data; root may export any user's. */
export const personalDataRoutes = (personalData: PersonalData): MountedRoute[] =>
  implement(personalDataApi, {
    own: ({ part, after }, context) => personalData.page({ userId: requireActor(context).id, part, after }),
    of: ({ id, part, after }) => personalData.pageForRoot({ userId: id, part, after }),
  });

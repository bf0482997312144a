import { AppError, authApi } from '@tollgate/contract';
import type { Accounts } from '../../../services/people/accounts/index.ts';
import type { Auth } from '../../../services/people/auth/index.ts';
import { requireActor, clearSessionCookie } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { TransportCheck } from '../../plain-transport.ts';
import { afterFirstStep } from './visitor-cookies.ts';

export interface SignInRouteDeps {
  accounts: Pick<Accounts, 'register'>;
  auth: Pick<Auth, 'signIn' | 'sessions'>;
  /** Refuses passwords and sessions sent without encryption. */
  checkTransport: TransportCheck;
}

/**
 * Length of the prefix of a session's hash that identifies it to its owner: it distinguishes their sessions and is
 * useless otherwise.
 */
const publicIdLength = 16;
/** The name of a session in lists. */
export const publicId = (idHash: string): string => idHash.slice(0, publicIdLength);

/** Signing up, in and out (docs/compatibility.md#envelope-and-routes). */
export function signInRoutes({ accounts, auth, checkTransport }: SignInRouteDeps): MountedRoute[] {
  return implement(authApi, {
    async register({ username, password, password2, email, verification_code, aff_code }, context) {
      checkTransport(context);
      if (password2 !== undefined && password2 !== password) throw new AppError('passwords_differ');
      await accounts.register({
        username,
        password,
        email,
        emailCode: verification_code,
        affCode: aff_code,
        language: context.language,
      });
      return null;
    },
    async login({ username, password }, context) {
      checkTransport(context);
      const { ip, userAgent } = context;
      return afterFirstStep(context, await auth.signIn({ login: username, password }, { ip, userAgent }));
    },
    async logout(_input, context) {
      const { credential, isSameOrigin } = context;
      if (credential?.kind === 'session') {
        // A GET that changes something: another site must not sign people out by linking to it (ASVS 3.5.3).
        if (!isSameOrigin) throw new AppError('cross_site');
        await auth.sessions.end(credential.idHash);
      }
      clearSessionCookie(context);
      return null;
    },
    async sessions(_input, context) {
      const { credential } = context;
      const current = credential?.kind === 'session' ? credential.idHash : '';
      return (await auth.sessions.list(requireActor(context).id)).map((row) => ({
        id: publicId(row.id_hash),
        created_time: row.created_time,
        seen_time: row.seen_time,
        ip: row.ip,
        user_agent: row.user_agent,
        current: row.id_hash === current,
      }));
    },
    async endSession({ session }, context) {
      const own = await auth.sessions.list(requireActor(context).id);
      const row = own.find((each) => publicId(each.id_hash) === session);
      if (!row) throw new AppError('row_not_found');
      await auth.sessions.end(row.id_hash);
      return null;
    },
  });
}

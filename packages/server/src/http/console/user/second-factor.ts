import { secondFactorApi } from '@tollgate/contract';
import type { Auth } from '../../../services/people/auth/index.ts';
import type { Factors, Owner } from '../../../services/people/factors/index.ts';
import { requireActor, type CallContext, requireIdentity } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { TransportCheck } from '../../plain-transport.ts';
import { admit, ticketOf } from './visitor-cookies.ts';

export interface SecondFactorRouteDeps {
  auth: Pick<Auth, 'finishByCode' | 'noteNewFactor' | 'owesFactor' | 'prove'>;
  factors: Factors;
  /** Refuses codes sent without encryption. */
  checkTransport: TransportCheck;
}

/** The caller as the owner of the factors. */
export function ownerOf(context: CallContext): Owner {
  const { id, username } = requireActor(context);
  return { id, username, language: context.language };
}

/** The second factor (docs/compatibility.md#second-factor). */
export function secondFactorRoutes({ auth, factors, checkTransport }: SecondFactorRouteDeps): MountedRoute[] {
  /** Older clients send a code with the change. */
  const checkGiven = async (context: CallContext, code: string | undefined): Promise<void> => {
    if (code !== undefined) await factors.checkCode(requireActor(context).id, code);
  };
  const reset = async (
    context: CallContext,
    id: number,
    what: 'authenticator' | 'passkeys',
  ): Promise<null> => {
    await factors.reset({ ...requireActor(context), language: context.language }, id, what);
    return null;
  };
  return implement(secondFactorApi, {
    async finishSignIn({ code }, context) {
      checkTransport(context);
      return admit(context, await auth.finishByCode({ ticket: ticketOf(context), code }, context));
    },
    async status(_input, context) {
      const required = await auth.owesFactor(requireIdentity(context));
      return { ...(await factors.status(requireActor(context).id)), required };
    },
    async setUp(_input, context) {
      const { secret, uri, recoveryCodes } = await factors.setUp(ownerOf(context));
      return { secret, qr_code_data: uri, backup_codes: recoveryCodes };
    },
    async enable({ code }, context) {
      await factors.enable(ownerOf(context), code);
      await auth.noteNewFactor(requireIdentity(context));
      return null;
    },
    async disable({ code }, context) {
      await checkGiven(context, code);
      await factors.disable(ownerOf(context));
      return null;
    },
    async renewCodes({ code }, context) {
      await checkGiven(context, code);
      return { backup_codes: await factors.renewCodes(ownerOf(context)) };
    },
    async verify({ method, code }, context) {
      checkTransport(context);
      const until = await auth.prove(requireIdentity(context), { method, code, ip: context.ip });
      return { verified: true, expires_at: until };
    },
    stats: () => factors.stats(),
    ofUser: ({ id }, context) => factors.ofUser(requireActor(context), id),
    reset: ({ id }, context) => reset(context, id, 'authenticator'),
    resetPasskeys: ({ id }, context) => reset(context, id, 'passkeys'),
  });
}

import { passkeyApi } from '@tollgate/contract';
import type { Auth } from '../../../services/people/auth/index.ts';
import type { Factors } from '../../../services/people/factors/index.ts';
import { requireActor, type CallContext, requireIdentity, requireSession } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { TransportCheck } from '../../plain-transport.ts';
import { ownerOf } from './second-factor.ts';
import { admit, knownBrowser, markBrowser, ticketOf } from './visitor-cookies.ts';

export interface PasskeyRouteDeps {
  auth: Pick<
    Auth,
    'askForPasskey' | 'finishByPasskey' | 'signInByPasskey' | 'askProof' | 'noteNewFactor' | 'proveByPasskey'
  >;
  factors: Factors;
  /** Refuses sessions sent without encryption. */
  checkTransport: TransportCheck;
}

/** Input of the browser's call. */
const asked = (publicKey: Record<string, unknown>) => ({ options: { publicKey } });

/** Passkeys (docs/compatibility.md#second-factor). */
export function passkeyRoutes({ auth, factors, checkTransport }: PasskeyRouteDeps): MountedRoute[] {
  const remove = async (context: CallContext, id: number): Promise<null> => {
    await factors.removePasskey(ownerOf(context), id);
    return null;
  };
  return implement(passkeyApi, {
    async beginSignIn({ second_step }, context) {
      checkTransport(context);
      if (second_step) return asked(await auth.askForPasskey(ticketOf(context)));
      const question = { purpose: 'sign-in', browser: markBrowser(context), userId: 0 } as const;
      return asked(await factors.askPasskey(question));
    },
    async finishSignIn({ second_step, ...shown }, context) {
      checkTransport(context);
      const signedIn = second_step
        ? await auth.finishByPasskey({ ticket: ticketOf(context), shown }, context)
        : await auth.signInByPasskey({ browser: knownBrowser(context), shown }, context);
      return admit(context, signedIn);
    },
    async list(_input, context) {
      const passkeys = await factors.listPasskeys(requireActor(context).id);
      return { enabled: passkeys.length > 0, passkeys };
    },
    removeAll: (_input, context) => remove(context, 0),
    remove: ({ id }, context) => remove(context, id),
    async rename({ id, name }, context) {
      await factors.renamePasskey(requireActor(context).id, id, name);
      return null;
    },
    async beginRegistration(_input, context) {
      return asked(await factors.beginPasskey(ownerOf(context), requireSession(context)));
    },
    async finishRegistration({ name, ...made }, context) {
      const codes = await factors.addPasskey(ownerOf(context), requireSession(context), made, name);
      await auth.noteNewFactor(requireIdentity(context));
      return { backup_codes: codes };
    },
    beginProof: async (_input, context) => asked(await auth.askProof(requireIdentity(context))),
    async finishProof(shown, context) {
      await auth.proveByPasskey(requireIdentity(context), shown);
      return null;
    },
  });
}

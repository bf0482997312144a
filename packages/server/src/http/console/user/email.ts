import { AppError, emailApi } from '@tollgate/contract';
import type { Accounts } from '../../../services/people/accounts/index.ts';
import { actorOf, type CallContext } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { TransportCheck } from '../../plain-transport.ts';

export interface EmailRouteDeps {
  accounts: Pick<Accounts, 'sendCode' | 'askReset' | 'resetPassword' | 'bindEmail'>;
  /** Refuses passwords that would travel in the open. */
  checkTransport: TransportCheck;
}

/** Codes and links by mail (docs/compatibility.md#mail). */
export function emailRoutes({ accounts, checkTransport }: EmailRouteDeps): MountedRoute[] {
  const bind = async (input: { email: string; code: string }, context: CallContext): Promise<null> => {
    // A GET that changes something: a link on another site must not give the account its author's address.
    if (!context.isSameOrigin) throw new AppError('cross_site');
    await accounts.bindEmail(actorOf(context), input, context.language);
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

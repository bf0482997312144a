import { randomBytes } from 'node:crypto';
import type { SignedIn, SignInOutcome } from '@tollgate/contract';
import type { FirstStep, SignedInWith } from '../../../services/people/auth/index.ts';
import { type CallContext, setSessionCookie } from '../../context.ts';

/** Maximum time at another site, at a device, or before the second step. */
const maxAgeSeconds = 600;

/** The prefix restricts a cookie to this host. */
const nameFor = (name: string, { isHttps }: CallContext): string => (isHttps ? `__Host-${name}` : name);
const browserCookie = 'sign-in';
const ticketCookie = 'second-step';

/** The mark that identifies a browser between start and end of a sign-in; '' for none. */
export const knownBrowser = (context: CallContext): string => context.cookie(nameFor(browserCookie, context));

/** The same; created if the browser has none. */
export function markBrowser(context: CallContext): string {
  const browser = knownBrowser(context) || randomBytes(32).toString('base64url');
  context.reply.setCookie(nameFor(browserCookie, context), browser, {
    secure: context.isHttps,
    maxAgeSeconds,
  });
  return browser;
}

/** The ticket of a browser that is at the second step; '' for none. */
export const ticketOf = (context: CallContext): string => context.cookie(nameFor(ticketCookie, context));

/** After a sign-in the browser gets the session, and the cookie of the second step ends. */
export function admit(context: CallContext, { user, session }: SignedInWith): SignedIn {
  setSessionCookie(context, session);
  if (ticketOf(context) !== '') {
    context.reply.clearCookie(nameFor(ticketCookie, context), { secure: context.isHttps });
  }
  return user;
}

/** Answer after the first step: the user, or the required second step. */
export function afterFirstStep(context: CallContext, step: FirstStep): SignInOutcome {
  if ('session' in step) return admit(context, step);
  const { ticket, authenticator, passkey } = step;
  context.reply.setCookie(nameFor(ticketCookie, context), ticket, {
    secure: context.isHttps,
    maxAgeSeconds,
  });
  return { require_2fa: true, authenticator, passkey };
}

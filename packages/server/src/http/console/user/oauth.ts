import { randomBytes } from 'node:crypto';
import { AppError, oauthApi } from '@tollgate/contract';
import type { Auth } from '../../../services/auth/index.ts';
import type { Oauth, Visitor } from '../../../services/oauth/index.ts';
import { answer } from '../../answer.ts';
import { actorOf, type CallContext } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { TransportCheck } from '../../plain-transport.ts';
import { setSessionCookie } from '../../session-cookie.ts';

export interface OauthRouteDeps {
  oauth: Oauth;
  auth: Pick<Auth, 'isFreshSession'>;
  /** Refuses sessions that would travel in the open. */
  checkTransport: TransportCheck;
}

/** Names the browser between start and end of a sign-in through another site; the name binds it to this host. */
const cookieName = ({ isHttps }: CallContext): string => (isHttps ? '__Host-sign-in' : 'sign-in');
const maxAgeSeconds = 600;

function visitorOf(context: CallContext, browser: string): Visitor {
  const { ip, userAgent, language, origin } = context;
  return { ip, userAgent, language, browser, site: origin };
}

/** The browser's own mark, made when it has none. */
function markBrowser(context: CallContext): Visitor {
  const name = cookieName(context);
  const browser = context.cookie(name) || randomBytes(32).toString('base64url');
  context.reply.setCookie(name, browser, { secure: context.isHttps, maxAgeSeconds });
  return visitorOf(context, browser);
}

const knownVisitor = (context: CallContext): Visitor =>
  visitorOf(context, context.cookie(cookieName(context)));

/** Somebody signed in: their browser gets the session. */
function admit(context: CallContext, { user, session }: Awaited<ReturnType<Oauth['wechat']>>) {
  setSessionCookie(context, session);
  return user;
}

/** A GET that changes something: no link on another site may bind or sign anybody in. */
function refuseOtherSites({ isSameOrigin }: CallContext): void {
  if (!isSameOrigin) throw new AppError('cross_site');
}

/** Signing in through other sites, and binding them (docs/compatibility.md#third-party-sign-in). */
export function oauthRoutes({ oauth, auth, checkTransport }: OauthRouteDeps): MountedRoute[] {
  return implement(oauthApi, {
    async state({ aff }, context) {
      const { actor, credential } = context;
      const session = credential?.kind === 'session' ? credential.idHash : undefined;
      if (actor && !(await auth.isFreshSession(session))) throw new AppError('sign_in_again');
      return oauth.startPlain(markBrowser(context), { userId: actor?.id ?? 0, affCode: aff });
    },
    async start({ provider, aff }, context) {
      return (await oauth.start(provider, markBrowser(context), { userId: 0, affCode: aff })).page;
    },
    async startBind({ provider }, context) {
      const purpose = { userId: actorOf(context).id, affCode: '' };
      return (await oauth.start(provider, markBrowser(context), purpose)).page;
    },
    async unbind({ provider }, context) {
      await oauth.unbind(actorOf(context), provider);
      return null;
    },
    async wechat({ code, aff }, context) {
      checkTransport(context);
      refuseOtherSites(context);
      return admit(context, await oauth.wechat(code, knownVisitor(context), aff));
    },
    async wechatBind({ code }, context) {
      refuseOtherSites(context);
      await oauth.bindWechat(actorOf(context).id, code);
      return null;
    },
    async telegram(fields, context) {
      checkTransport(context);
      refuseOtherSites(context);
      return admit(context, await oauth.telegram(fields, knownVisitor(context)));
    },
    async telegramBind(fields, context) {
      refuseOtherSites(context);
      await oauth.bindTelegram(actorOf(context).id, fields);
      return null;
    },
    async callback({ provider, code, state, iss }, context) {
      checkTransport(context);
      const returned = { code, issuer: iss ?? '', state, userId: context.actor?.id ?? 0 };
      const signedIn = await oauth.finish(provider, knownVisitor(context), returned);
      return signedIn ? admit(context, signedIn) : answer({ data: null, message: 'bind' });
    },
  });
}

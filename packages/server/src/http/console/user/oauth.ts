import { AppError, oauthApi } from '@tollgate/contract';
import type { Auth } from '../../../services/people/auth/index.ts';
import type { Oauth, Visitor } from '../../../services/people/oauth/index.ts';
import { isObject } from '../../../lib/json.ts';
import { answer } from '../../answer.ts';
import { requireActor, type CallContext } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { TransportCheck } from '../../plain-transport.ts';
import { afterFirstStep, knownBrowser, markBrowser } from './visitor-cookies.ts';

export interface OauthRouteDeps {
  oauth: Oauth;
  auth: Pick<Auth, 'isFreshSession'>;
  /** Refuses sessions sent without encryption. */
  checkTransport: TransportCheck;
}

function visitorOf(context: CallContext, browser: string): Visitor {
  const { ip, userAgent, language, origin } = context;
  return { ip, userAgent, language, browser, site: origin };
}

const newVisitor = (context: CallContext): Visitor => visitorOf(context, markBrowser(context));
const knownVisitor = (context: CallContext): Visitor => visitorOf(context, knownBrowser(context));

/** A GET that changes state, so links on other sites must not be able to bind or sign in. */
function refuseOtherSites({ isSameOrigin }: CallContext): void {
  if (!isSameOrigin) throw new AppError('cross_site');
}

/** Signing in through other sites, and binding them (docs/compatibility.md#third-party-sign-in). */
export function oauthRoutes({ oauth, auth, checkTransport }: OauthRouteDeps): MountedRoute[] {
  return [
    ...samlRoutes(oauth),
    ...implement(oauthApi, {
      async state({ aff }, context) {
        const { actor, credential } = context;
        const session = credential?.kind === 'session' ? credential.idHash : undefined;
        if (actor && !(await auth.isFreshSession(session))) throw new AppError('sign_in_again');
        return oauth.startPlain(newVisitor(context), { userId: actor?.id ?? 0, affCode: aff });
      },
      async start({ provider, aff }, context) {
        return (await oauth.start(provider, newVisitor(context), { userId: 0, affCode: aff })).page;
      },
      async startBind({ provider }, context) {
        const purpose = { userId: requireActor(context).id, affCode: '' };
        return (await oauth.start(provider, newVisitor(context), purpose)).page;
      },
      async unbind({ provider }, context) {
        await oauth.unbind(requireActor(context), provider);
        return null;
      },
      async wechat({ code, aff }, context) {
        checkTransport(context);
        refuseOtherSites(context);
        return afterFirstStep(context, await oauth.wechat(code, knownVisitor(context), aff));
      },
      async wechatBind({ code }, context) {
        refuseOtherSites(context);
        await oauth.bindWechat(requireActor(context).id, code);
        return null;
      },
      async telegram(fields, context) {
        checkTransport(context);
        refuseOtherSites(context);
        return afterFirstStep(context, await oauth.telegram(fields, knownVisitor(context)));
      },
      async telegramBind(fields, context) {
        refuseOtherSites(context);
        await oauth.bindTelegram(requireActor(context).id, fields);
        return null;
      },
      async callback({ provider, code, state, iss }, context) {
        checkTransport(context);
        const returned = { code, issuer: iss ?? '', state, userId: context.actor?.id ?? 0 };
        const step = await oauth.finish(provider, knownVisitor(context), returned);
        return step ? afterFirstStep(context, step) : answer({ data: null, message: 'bind' });
      },
    }),
  ];
}

const textIn = (fields: unknown, name: string): string => {
  const value = isObject(fields) ? fields[name] : undefined;
  return typeof value === 'string' ? value : '';
};

/**
 * The two addresses of SAML: the site's metadata, and the form that the provider's page posts. The form only leaves an
 * answer for the round; the browser that began the round ends it, with its cookie.
 */
function samlRoutes(oauth: Oauth): MountedRoute[] {
  const at = { path: '/api/oauth/saml/:provider', access: 'public' } as const;
  return [
    {
      ...at,
      method: 'GET',
      serve: async ({ slots }, { origin }) => ({
        status: 200,
        body: oauth.describe(textIn(slots, 'provider'), origin),
        headers: { 'content-type': 'application/samlmetadata+xml' },
      }),
    },
    {
      ...at,
      method: 'POST',
      critical: true,
      isCrossSite: true,
      // Signing in works on a demo site.
      demo: true,
      serve: async ({ slots, body }, { origin }) => {
        const posted = {
          state: textIn(body, 'RelayState'),
          response: textIn(body, 'SAMLResponse'),
          site: origin,
        };
        const location = await oauth.receive(textIn(slots, 'provider'), posted);
        return { status: 303, body: '', headers: { location } };
      },
    },
  ];
}

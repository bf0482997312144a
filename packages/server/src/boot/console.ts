import type { Core } from './core.ts';
import type { People } from './people.ts';
import { type Cache, slidingHit } from '../cache/index.ts';
import { siteLanguage } from '../gateway/index.ts';
import { type AppDeps, type ConsoleApp, createApp, outsideSources } from '../http/app.ts';
import type { ClientReader } from '../http/context.ts';
import { auditRoutes } from '../http/console/audit/index.ts';
import { optionRoutes } from '../http/console/option/index.ts';
import { pricingRoutes } from '../http/console/pricing.ts';
import { referenceRoutes } from '../http/console/reference/index.ts';
import { setupRoutes } from '../http/console/setup/index.ts';
import { signInProviderRoutes } from '../http/console/sign-in-provider/index.ts';
import { statusRoutes } from '../http/console/status/index.ts';
import { tokenRoutes } from '../http/console/token/index.ts';
import { userRoutes } from '../http/console/user/index.ts';
import type { MountedRoute } from '../http/implement.ts';
import { createIpLimiter, ipLimitRules } from '../http/ip-limit.ts';
import { writeDocument } from '../http/openapi/index.ts';
import { createTransportCheck } from '../http/plain-transport.ts';
import { version } from './version.ts';
import { checkHuman } from '../services/people/auth/index.ts';
import { createOidcCheck } from '../services/people/oauth/index.ts';
import { createVersionCheck } from '../services/upkeep/status/index.ts';

/** The largest body of a console call: the longest option, with a margin. */
const maxConsoleBodyBytes = 4 * 1024 * 1024;

/** The console calls about users, options and the site. */
const peopleRoutes = (
  core: Core,
  { auth, accounts, factors, tokens, oauth, addedProviders, setup, status }: People,
): MountedRoute[] => [
  ...setupRoutes({ setup, checkTransport: createTransportCheck(core.env.insecureCookies) }),
  ...statusRoutes({ status, settings: core.settings }),
  ...userRoutes({
    accounts,
    auth,
    factors,
    oauth,
    pricing: core.pricing,
    routing: core.routing,
    checkTransport: createTransportCheck(core.env.insecureCookies),
  }),
  ...signInProviderRoutes({ providers: addedProviders, settings: core.settings }),
  ...tokenRoutes({ tokens }),
  ...optionRoutes({
    settings: core.settings,
    pricing: core.pricing,
    checkVersion: createVersionCheck({ ...core, version }),
    checkOption: createOidcCheck(core),
  }),
  ...auditRoutes({ audit: core.audit, accounts, auth, tokens }),
  ...pricingRoutes({
    pricing: core.pricing,
    routing: core.routing,
    isPublic: () => core.settings.get('PublicPricingEnabled'),
  }),
  ...referenceRoutes({ write: (language) => writeDocument(language, version) }),
];

export interface ConsoleOptions {
  clients: ClientReader;
  cache: Cache;
  /** Further calls, beside `peopleRoutes`. */
  routes: readonly MountedRoute[];
  /** Folder of the built console. */
  webRoot: string;
  /** Health and metrics endpoints. */
  health?: AppDeps['health'];
  /** Creates the raw server, on which the relay listens first. */
  serverFactory?: NonNullable<AppDeps['serverFactory']>;
}

/** The console's side of the server: all calls, the limits, the built pages. */
export function openConsole(core: Core, people: People, options: ConsoleOptions): Promise<ConsoleApp> {
  const { settings, clock, log, http } = core;
  return createApp({
    routes: [...peopleRoutes(core, people), ...options.routes],
    auth: people.auth,
    clients: options.clients,
    limit: createIpLimiter({
      rules: ipLimitRules(core.env),
      hit: (name, windowSeconds) => slidingHit(options.cache, name, windowSeconds, clock),
      log,
    }),
    audit: core.audit,
    checkHuman: (answer, ip) =>
      checkHuman({ settings, http, log, serviceUrl: core.env.turnstileUrl }, answer, ip),
    membership: (userId, teamId, needed) => people.teams.membership(userId, teamId, needed),
    isDemoFor: (actor) => people.status.isDemoFor(actor),
    meetDemand: (identity, demand, given) => people.auth.meetDemand(identity, demand, given),
    serverAddress: () => settings.get('ServerAddress'),
    outsideSources: () => outsideSources(settings, core.env.turnstileUrl),
    siteLanguage: () => siteLanguage(settings),
    webRoot: options.webRoot,
    health: options.health,
    maxBodyBytes: maxConsoleBodyBytes,
    clock,
    log,
    ...(options.serverFactory && { serverFactory: options.serverFactory }),
  });
}

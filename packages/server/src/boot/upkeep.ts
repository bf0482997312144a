import { randomUUID } from 'node:crypto';
import { inTransaction, tokens } from '../store/index.ts';
import { type Core, isTool } from './site.ts';
import {
  type ExplainDeps,
  fallbacksIn,
  relayOptions,
  createProbe,
  type Probe,
  type ProbeDeps,
} from '../gateway/index.ts';
import { createAlarmPlaces } from '../services/site/notify/index.ts';
import { siteLanguage } from '../services/site/settings/index.ts';
import {
  channelRoutes,
  replacementRoutes,
  routingRoutes,
  trafficRoutes,
} from '../http/console/channel/index.ts';
import { channelTypesOf, modelObjectsOf, modelsByTypeOf } from '../http/console/channel/provider-data.ts';
import { directoryRoutes } from '../http/console/directory/index.ts';
import { costRoutes, reconciliationRoutes } from '../http/console/cost/index.ts';
import { dataRoutes } from '../http/console/data/index.ts';
import { groupRoutes } from '../http/console/group/index.ts';
import { personalDataRoutes, userRoutes } from '../http/console/user/index.ts';
import { createFocusExport, type FocusExport } from '../services/upkeep/logs/index.ts';
import { logRoutes } from '../http/console/log/index.ts';
import { pricesRoutes } from '../http/console/prices/index.ts';
import { redemptionRoutes } from '../http/console/wallet/index.ts';
import { taskRoutes } from '../http/console/tasks/index.ts';
import type { MountedRoute } from '../http/implement.ts';
import { newRequestId } from '../lib/request-id.ts';
import { applyModelMapping, bridge } from '../relay/bridge.ts';
import { channelKinds, providerOf, providers } from '../relay/registry.ts';
import { type Channel, refuse, type RelayRequest } from '../relay/types/index.ts';
import { createTraffic, type Traffic } from '../services/calls/traffic/index.ts';
import { pricedModel } from '../relay/outgoing.ts';
import { createMargins } from '../services/money/costs/index.ts';
import {
  createChannelTraffics,
  createQuotaSums,
  createUsageSummaries,
} from '../services/calls/metering/index.ts';
import { createPriceSync } from '../services/money/price-sync/index.ts';
import { createPriceBook } from '../services/money/pricing/index.ts';
import { createFetches, createReportKeys, createReports } from '../services/money/reconciliation/index.ts';
import { createPersonalData } from '../services/upkeep/personal-data/index.ts';
import { createRedemptions } from '../services/money/redemptions/index.ts';
import { countedPage, pageOfTasks, requestCancel } from '../services/calls/tasks/index.ts';
import { logType } from '@tollgate/contract';
import { openSignedReceipts } from './money.ts';
import type { People } from './people.ts';
import { type Cache, slidingHit } from '../cache/index.ts';
import { type AppDeps, type ConsoleApp, createApp, outsideSources } from '../http/app.ts';
import type { ClientReader } from '../http/context.ts';
import { auditRoutes } from '../http/console/audit/index.ts';
import { optionRoutes, signInProviderRoutes } from '../http/console/option/index.ts';
import { pricingRoutes } from '../http/console/pricing.ts';
import { referenceRoutes } from '../http/console/reference/index.ts';
import {
  alarmRoutes,
  attentionRoutes,
  channelHealthRoutes,
  setupRoutes,
  statusRoutes,
} from '../http/console/status/index.ts';
import { tokenRoutes } from '../http/console/token/index.ts';
import { createIpLimiter, ipLimitRules } from '../http/ip-limit.ts';
import { writeDocument } from '../http/openapi/index.ts';
import { createTransportCheck } from '../http/plain-transport.ts';
import { version } from './version.ts';
import { overrideHeaders } from '../relay/header-override.ts';
import { checkHuman } from '../services/people/auth/index.ts';
import { createOidcCheck } from '../services/people/oauth/index.ts';
import { createVersionCheck, findBlocks } from '../services/upkeep/status/index.ts';

/** Timeout of a channel test. */
const probeTimeoutMs = 60_000;
/** Largest answer to Tollgate's own calls; a list of models is the largest. */
const maxProbeBytes = 4 * 1024 * 1024;

/** Creates the upstream call of a test or of a sample, as the gateway does for a caller. */
function probeCalls(core: Core): Pick<ProbeDeps, 'prepare' | 'write'> {
  const options = relayOptions(core.env, core.settings);
  const written = (request: RelayRequest, channel: Channel) => {
    const provider = providerOf(channel.type);
    if (!provider) throw refuse('channel_type_unknown', { type: channel.type });
    const model = applyModelMapping(channel.modelMapping, request.facts.model);
    return { provider, call: bridge(provider, channel, request, model, options()) };
  };
  return {
    async prepare(request, channel) {
      const { provider, call } = written(request, channel);
      const ready = await core.beforeSend(provider, channel, call);
      overrideHeaders(ready, channel, {});
      return ready;
    },
    write(request, channel, caller) {
      const { call } = written(request, channel);
      overrideHeaders(call, channel, caller);
      return call;
    },
  };
}

/**
 * Opens Tollgate's own calls to upstreams: tests, model lists, balances. `onDone`: a test of all channels has ended.
 */
export function openProbe(core: Core, onDone: () => void): Probe {
  const { channels, settings, pricing, logs, http, clock, log } = core;
  return createProbe({
    ...channels,
    provider: providerOf,
    ...probeCalls(core),
    dropRejectedToken(channel, call, error) {
      const provider = providerOf(channel.type);
      return provider !== undefined && core.beforeSend.dropRejectedToken(provider, call, error);
    },
    listTools: async (channel) => [...(await core.toolServers.listNow(channel)).keys()],
    // Administrators set up channels, which may be in private networks (a local Ollama).
    send: (call) =>
      http.request(
        {
          ...call,
          scope: 'operator',
          headersTimeoutMs: probeTimeoutMs,
          bodyTimeoutMs: probeTimeoutMs,
        },
        maxProbeBytes,
      ),
    priceOf(model, group) {
      const found = pricing.snapshot(model, group, { acceptUnset: false });
      return 'refusal' in found ? null : found;
    },
    record: (row) => logs.write({ ...row, type: logType.consume }),
    requestId: () => newRequestId(clock()),
    rules: () => ({
      disable: settings.get('AutomaticDisableChannelEnabled'),
      enable: settings.get('AutomaticEnableChannelEnabled'),
      thresholdSeconds: settings.get('ChannelDisableThreshold'),
      keywords: settings.get('AutomaticDisableKeywords'),
      pauseSeconds: core.env.pollingSeconds,
    }),
    onDone({ total, done, failed }, tester) {
      log.info({ total, done, failed, by: tester.userId }, 'channel test done');
      onDone();
    },
    clock,
    log,
  });
}

/** Opens the export of charges on the core. */
export const openFocusExport = ({ store, settings, clock }: Core): FocusExport =>
  createFocusExport({ reports: store.reports, settings, clock });

/** The databases for reports on the log, and whether it has failed calls. */
const logReports = ({ store, env, settings }: Core) => ({
  reports: store.reports,
  errorsLogged: () => env.errorLog && settings.get('LogConsumeEnabled'),
});

/** The console calls about prices of models, and public price lists. */
function openPrices({ settings, routing, http, env, clock, log }: Core): MountedRoute[] {
  const prices = createPriceBook(settings, clock);
  const served = () => routing.models();
  const { dataDir } = env;
  const priceSync = createPriceSync({ settings, prices, served, http, dataDir, clock, log });
  return pricesRoutes({ prices, priceSync, served });
}

/** The console calls that compare vendors' usage with our books. */
export function openReconciliation(core: Core): MountedRoute[] {
  const { store, env, settings, channels } = core;
  const { db } = store;
  const keys = createReportKeys({ ...core, db });
  const reports = createReports({
    ...core,
    db,
    reports: store.reports,
    quotaPerUnit: () => settings.get('QuotaPerUnit'),
  });
  const fetches = createFetches({
    ...core,
    db,
    keys,
    reports,
    addresses: {
      openai: env.openaiUsageUrl,
      anthropic: env.anthropicUsageUrl,
      openrouter: env.openrouterUsageUrl,
    },
    findProxy: async (id) => (await channels.load(id))?.channel.setting.proxy ?? '',
    newId: randomUUID,
  });
  return reconciliationRoutes({ keys, fetches, reports });
}

/** The functions that choose channels, as calls use them. */
const explainDeps = (
  { store, routing, pricing, costs, settings, keys }: Core,
  limits: ExplainDeps['limits'],
): ExplainDeps => ({
  ...(limits && { limits }),
  routing,
  pricing,
  costOf: (call) => costs.of(call),
  costVersion: (price) => costs.version(price),
  fallbacksOf: (model) => fallbacksIn(settings, model),
  async findKey(id) {
    const row = await tokens.find(store.db, id);
    return row && keys.resolveHash(row.key_hash);
  },
});

/** Past traffic, with the present channels, prices and cost prices. */
const openTraffic = ({ store, routing, pricing, costs, settings, channelName, clock, log }: Core): Traffic =>
  createTraffic({
    reports: store.reports,
    routing,
    channelName,
    attempts: () => settings.get('RetryTimes') + 1,
    costOn(channel, { model, group, usage, extras }) {
      const snapshot = pricing.snapshot(pricedModel(channel, model), group, { acceptUnset: false });
      if ('refusal' in snapshot) return 'unpriced';
      const upstreamModel = applyModelMapping(channel.modelMapping, model);
      return costs.of({ channelId: channel.id, model, upstreamModel, usage, extras, snapshot });
    },
    newId: () => randomUUID(),
    clock,
    log,
  });

/** The console calls of operators: channels, groups, logs, tasks, sums and redemption codes. */
export const operatorRoutes = (core: Core, probe: Probe, limits?: ExplainDeps['limits']): MountedRoute[] => [
  ...channelRoutes({
    channels: core.channels,
    routing: core.routing,
    probe,
    types: channelTypesOf(channelKinds),
    models: modelObjectsOf(providers),
  }),
  ...replacementRoutes(core),
  ...routingRoutes(explainDeps(core, limits)),
  ...trafficRoutes(openTraffic(core)),
  ...channelHealthRoutes(core),
  ...alarmRoutes(core.alarms, createAlarmPlaces({ ...core, db: core.store.db })),
  ...costRoutes({
    ...core,
    margins: createMargins({ reports: core.store.reports, channelName: core.channelName }),
  }),
  ...openReconciliation(core),
  ...groupRoutes({
    groupNames: () => Object.keys(core.settings.get('GroupRatio')),
    modelsByType: modelsByTypeOf(providers),
  }),
  ...openPrices(core),
  ...logRoutes({ logs: core.logs, focus: openFocusExport(core) }),
  ...personalDataRoutes(
    createPersonalData({ db: core.store.db, reports: core.store.reports, audit: core.audit }),
  ),
  ...taskRoutes({
    page: (filter, slice) => countedPage(core.store.reports, filter, slice),
    some: (filter, slice) => pageOfTasks(core.store.reports, filter, slice),
    cancelBatch: (userId, id) =>
      inTransaction(core.store.db, async (db) => {
        const name = await requestCancel(db, userId, id, core.clock());
        if (name === undefined) return false;
        await core.audit.record(db, { target: { type: 'task', id, name } });
        return true;
      }),
    pictures: () => ({
      MjForwardUrlEnabled: core.settings.get('MjForwardUrlEnabled'),
      ServerAddress: core.settings.get('ServerAddress'),
    }),
  }),
  ...dataRoutes({
    quotaSums: createQuotaSums({ db: core.store.reports }),
    summaries: createUsageSummaries({
      ...logReports(core),
      isPriced: (model) => core.pricing.isPriced(model),
    }),
    traffics: createChannelTraffics(logReports(core)),
    channels: core.channels,
  }),
  ...redemptionRoutes({
    redemptions: createRedemptions({
      db: core.store.db,
      audit: core.audit,
      sealer: core.sealer,
      clock: core.clock,
    }),
  }),
];

/** The largest body of a console call: the longest option, with a margin. */
const maxConsoleBodyBytes = 4 * 1024 * 1024;

/** The console calls about users, options and the site. */
const peopleRoutes = (
  core: Core,
  { auth, accounts, factors, tokens, oauth, directory, addedProviders, setup, status }: People,
): MountedRoute[] => [
  ...setupRoutes({ setup, checkTransport: createTransportCheck(core.env.insecureCookies) }),
  ...statusRoutes({ status, settings: core.settings }),
  ...attentionRoutes({
    countUnpriced: () => core.routing.models().filter((model) => !core.pricing.isPriced(model)).length,
    findBlocks: () => findBlocks({ settings: core.settings, openWays: () => oauth.openWays() }),
    retries: () => core.settings.get('RetryTimes'),
  }),
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
  ...directoryRoutes({ directory, settings: core.settings }),
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
    isTool: (model) => isTool(core, model),
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
    receiptKeys: () => openSignedReceipts(core).keys(),
    maxBodyBytes: maxConsoleBodyBytes,
    clock,
    log,
    ...(options.serverFactory && { serverFactory: options.serverFactory }),
  });
}

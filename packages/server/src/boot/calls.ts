import type { IncomingMessage } from 'node:http';
import { compileRedaction, product, redact, type Redaction } from '@tollgate/contract';
import { nodeHttp } from '@tollgate/http-engine';
import { type Cache, slidingHit } from '../cache/index.ts';
import {
  admitRate,
  AnswerCache,
  answerDryRun,
  type BeforeSend,
  billingStatus,
  type Caller,
  canLimitUses,
  countTokens,
  listFiles,
  passFile,
  passStoredResponse,
  serveConversation,
  OwnResponses,
  serveCompaction,
  uploadFile,
  createFileFetch,
  createFundsCheck,
  disableOnFailure,
  failureRow,
  fallbacksIn,
  type GatewayDeps,
  type GuardDeps,
  goesOnTranslated,
  idempotencyHeader,
  IdempotentCalls,
  beginUpload,
  changeCache,
  createCache,
  createContainer,
  passContainer,
  continueUpload,
  identifyByKey,
  identifyByMark,
  identityHeaders,
  isDryRun,
  MarkRounds,
  MissingProtocols,
  modelsFor,
  pingEveryMs,
  prepareCall,
  type PrepareDeps,
  quoteCall,
  type QuoteDeps,
  refuseCall,
  type RelayCall,
  relayOptions,
  Running,
  serve,
  serveGuarded,
  uncheckedError,
  showQuota,
  upstreamTimeouts,
  usingGroups,
  withoutPlaygroundWords,
  wordIn,
  createLiveHandles,
  realtimeLimits,
  serveRealtime,
  type SaleDeps,
  Sessions,
  type TaskDeps,
  TaskPoller,
  openTools,
  type ToolHouse,
  vendorProtocol,
} from '../gateway/index.ts';
import type { ClientReader } from '../http/context.ts';
import { createIpLimiter, ipLimitRules } from '../http/ip-limit.ts';
import {
  type AnswerDeps,
  answerKeyedTask,
  answerTask,
  submitsTask,
  answerVisit,
  createRelayListener,
  ownersOfModels,
  type RelayListener,
  relayRoutes,
  RelayTable,
  routeProtocols,
  serveResponsesSocket,
  createUploadAddresses,
  type UploadAddresses,
  type UpgradeListener,
  createUpgradeListener,
  type RelayListenerDeps,
  type TaskRouteDeps,
} from '../http/relay/index.ts';
import { BodyMemory } from '../lib/body-memory.ts';
import { type Clock, seconds } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Http } from '../lib/outbound/http.ts';
import { countAtMost } from '../lib/token-count/count-at-most.ts';
import type { TokenCounter } from '../lib/token-count/token-counter.ts';
import { providerOf, providers } from '../relay/registry.ts';
import { countRequest, countText } from '../relay/token-count.ts';
import type { RelayError } from '../relay/types/index.ts';
import type { Channels } from '../services/calls/channels/index.ts';
import {
  type CapturedStore,
  createKeptAnswers,
  createKeyedCalls,
  type KeptAnswers,
  type KeyedCalls,
} from '../services/calls/idempotency/index.ts';
import type { ConsumeFacts } from '../services/calls/metering/index.ts';
import {
  createKeptParts,
  createKeptResponses,
  createReferencedTexts,
  createStoredResponses,
  createVendorFiles,
  type AttemptCounts,
  type KeptParts,
  type KeptResponses,
  type ReferencedTexts,
  createLimits,
  type Routing,
  type Spends,
  type StoredResponses,
  type VendorFiles,
} from '../services/calls/routing/index.ts';
import {
  type BudgetRules,
  budgetsLeft,
  budgetsOfKey,
  fundsOfRun,
  type Runs,
} from '../services/money/budgets/index.ts';
import type { Costs } from '../services/money/costs/index.ts';
import { type Ledger, withTimeout } from '../services/money/ledger/index.ts';
import { autoGroup, type Pricing } from '../services/money/pricing/index.ts';
import {
  createFunds,
  createSessionSecrets,
  type FundsReader,
  type SessionSecrets,
} from '../services/people/tokens/index.ts';
import type { Metrics } from '../services/site/metrics/index.ts';
import type { SettledBalance } from '../services/site/notify/index.ts';
import { createModelLimiter, modelLimitsOf } from '../services/site/rate-limit/index.ts';
import { currentWordFilter } from '../services/site/sensitive-words/index.ts';
import { type Settings, siteLanguage } from '../services/site/settings/index.ts';
import type { CallTraces } from '../services/site/traces/index.ts';
import type { FailureLog } from '../services/upkeep/logs/index.ts';
import { logs } from '../store/index.ts';
import { openCaptured } from './money.ts';
import { type Core, isTool } from './site.ts';
import type { Env } from './env.ts';
import { version } from './version.ts';
import { createAcceptor } from '../lib/websocket/websocket.ts';
import {
  createBatches,
  createSales,
  createTasks,
  type Sales,
  type Tasks,
} from '../services/calls/tasks/index.ts';

/** User services that the relay needs. */
interface RelayOutside {
  /** The logged-in user of a call of a console page, or of an element of a page; throws the error. */
  identifySession(req: IncomingMessage, isElement: boolean): Promise<Caller>;
  /** The cache that the site's processes share. */
  cache: Cache;
  /** Called after each settlement. Must not wait. */
  onSettled(settled: SettledBalance): void;
  /** Metrics of calls; undefined if disabled. */
  metrics: Pick<Metrics, 'settled' | 'refused' | 'attempted' | 'answered'> | undefined;
  /** Traces of calls; undefined if disabled. */
  traces: CallTraces | undefined;
}

export interface Relay {
  gateway: GatewayDeps;
  doors: RelayListener;
  /** The relay's WebSockets. */
  upgrades: UpgradeListener;
  /** Calls with an Idempotency-Key. */
  keyedCalls: KeyedCalls;
  /** Answers of the cache. */
  keptAnswers: KeptAnswers;
  /** Texts of captured calls. */
  captured: CapturedStore;
  storedResponses: StoredResponses;
  keptParts: KeptParts;
  keptResponses: KeptResponses;
  /** Tasks. */
  house: TaskServices;
  /**
   * Load balancers should send no more calls; calls that still arrive are served. Realtime sessions end when they are
   * idle.
   */
  leave(): void;
  /** The same, and new calls are refused from now on. */
  stop(): void;
  /** True from `leave` on. */
  isLeaving(): boolean;
  /** Bytes of request bodies in memory. */
  bodyBytes(): number;
}

const mb = 1024 * 1024;

function answerDeps(
  core: Core,
  funds: FundsReader,
  gateway: GatewayDeps,
  { cache, shared, house, clients }: Pick<DoorParts, 'cache' | 'shared' | 'house' | 'clients'>,
): AnswerDeps {
  const table = new RelayTable(shared.routes);
  const quoting = quoteDeps(core, funds, gateway);
  const limitReads = createIpLimiter({
    rules: ipLimitRules(core.env),
    hit: (name, windowSeconds) => slidingHit(cache, name, windowSeconds, core.clock),
    log: core.log,
  });
  return {
    countExchange: (relayCall) => countTokens(gateway, relayCall),
    serveConversation: (call) => serveConversation(gateway, call),
    passStoredResponse: (call) => passStoredResponse(house.routes.tasks, house.ownResponses, call),
    uploadFile: (upload) => uploadFile(gateway, upload),
    passFile: (call) => passFile(gateway, call),
    serveTools: openTools(toolHouse(core, gateway, cache)),
    listFiles: (relayCall, query) => listFiles(gateway, relayCall, query),
    beginUpload: (start) => beginUpload(gateway, start),
    continueUpload: (part) => continueUpload(gateway, part),
    createCache: (order) => createCache(house.selling, order),
    createContainer: (relayCall, json) => createContainer(house.selling, relayCall, json),
    passContainer: (call) => passContainer(gateway, call),
    changeCache: (call) => changeCache(house.selling, call),
    uploads: shared.uploads,
    sessionSecrets: shared.sessionSecrets,
    gateway,
    siteAddress: (req) => core.settings.get('ServerAddress') || clients.origin(req),
    maxFileMb: core.env.maxFileUploadMb,
    maxUserFilesMb: core.env.userFilesMb,
    referencedText: (userId, id) => gateway.referencedTexts.find(userId, id),
    keptResponses: gateway.keptResponses,
    maxBodyBytes: core.env.maxRequestBodyMb * mb,
    siteLanguage: () => siteLanguage(core.settings),
    modelsFor: (caller) => modelsFor(core, caller).filter((model) => !isTool(core, model)),
    ownedBy: ownersOfModels(providers),
    funds,
    routeOf: (path) => table.match('POST', path),
    quoteCall: (relayCall) => quoteCall(quoting, relayCall),
    async findRunFunds({ userId, modelLimits }, run) {
      const found = await fundsOfRun(core.store.reports, userId, run);
      return found && { ...found, models: modelLimits ? [...modelLimits] : undefined };
    },
    findUsage: ({ tokenId, run }, period) => logs.usageOfToken(core.store.reports, tokenId, period, run),
    findBudgets({ tokenId, userId, team, tokenGroup, userGroup }) {
      const groups =
        tokenGroup === autoGroup ? core.pricing.autoGroups(userGroup) : [tokenGroup || userGroup];
      const key = { tokenId, userId, teamId: team?.id ?? 0, groups };
      return budgetsOfKey(core.store.reports, key, seconds(core.clock));
    },
    dollars: (quota) => quota / core.settings.get('QuotaPerUnit'),
    showsDollars: () => core.settings.get('DisplayInCurrencyEnabled'),
    clock: core.clock,
    limitReads,
    runs: core.runs,
    audit: core.audit,
    unitsPerDollar: () => core.settings.get('QuotaPerUnit'),
    sales: house.selling,
    checkKey: ({ req, path, query, ip }) => identifyByKey(core.keys, req, { path, query, ip }),
    identityHeaders,
  };
}

/** The tools of servers, for clients. */
const toolHouse = (core: Core, gateway: GatewayDeps, cache: Cache): ToolHouse => ({
  gateway,
  servers: core.toolServers,
  isToolServer: ({ type }) => providerOf(type)?.isToolServer === true,
  version,
  cancellations: {
    publish: (notice) => cache.publish(cancelledTools, notice),
    subscribe: (listener) => cache.subscribe(cancelledTools, listener),
  },
});
const cancelledTools = 'cancelled-tools';

/** Number of newest calls for the estimate of an answer's length. */
const newestCalls = 100;

const noNames: readonly string[] = [];

function quoteDeps({ store, clock }: Core, funds: FundsReader, gateway: GatewayDeps): QuoteDeps {
  return {
    gateway,
    budgetsLeft: (ids) => budgetsLeft(store.db, ids, seconds(clock)),
    async available(caller) {
      const { balance, token = Infinity, member = Infinity } = await withTimeout(funds.left(caller));
      return Math.max(0, Math.min(balance, token, member));
    },
    async recentOutputs({ tokenId }, model) {
      const [ofKey, ofSite] = await Promise.all([
        logs.recentOutputs(store.reports, { tokenId }, newestCalls),
        logs.recentOutputs(store.reports, { modelName: model }, newestCalls),
      ]);
      const tokensOf = (rows: typeof ofKey): number[] =>
        rows.flatMap((row) => (row.model === model ? row.tokens : []));
      return { ofKey: tokensOf(ofKey), ofSite: tokensOf(ofSite) };
    },
  };
}

/** The caller of an image's public address, who has no key. */
const nobody: Caller = {
  userId: 0,
  accountId: 0,
  username: '',
  role: 0,
  userGroup: '',
  acceptUnsetPrice: false,
  tokenId: 0,
  tokenName: '',
  maskedKey: '',
  tokenGroup: '',
  crossGroupRetry: false,
  tokenUnlimited: false,
  modelLimits: null,
  channelRule: null,
  pinnedChannelId: 0,
  team: null,
};

/** Kinds of routes that an exhausted or expired key may call. */
const forUsedUpKeys: ReadonlySet<string> = new Set(['figures', 'settle-hold', 'release-hold']);

/** The caller: by a key, or as a logged-in user of the console. */
const identifyIn =
  ({ keys }: Core, outside: RelayOutside, uploads: UploadAddresses): Shared['identify'] =>
  ({ route, req, path, query, ip }) => {
    if (route.kind === 'file') {
      const upload = uploads.read(query);
      if (upload) return identifyByMark(keys, upload.key, ip);
    }
    if (route.access === 'key')
      return identifyByKey(keys, req, { path, query, ip, isReader: forUsedUpKeys.has(route.kind) });
    if (route.access === 'public') return Promise.resolve(nobody);
    if (req instanceof nodeHttp.IncomingMessage)
      return outside.identifySession(req, route.access === 'element');
    throw new Error('sessions are read from requests of Node alone');
  };

const bodyMemory = ({ env }: Core): BodyMemory =>
  new BodyMemory({ process: env.bodyMemoryMb * mb, owner: env.bodyMemoryPerKeyMb * mb });

/** Checks before a body is read; false if the group, and so its rate limits, depends on the body. */
function precheckIn(
  { store, clock }: Core,
  gateway: GatewayDeps,
  funds: FundsReader,
): (caller: Caller) => Promise<boolean> {
  const checkFunds = createFundsCheck({
    ...gateway,
    findFunds: (caller) => withTimeout(funds.left(caller)),
    budgetsLeft: (ids) => withTimeout(budgetsLeft(store.db, ids, seconds(clock))),
  });
  return async (caller) => {
    await checkFunds(caller);
    const [group = '', ...others] = usingGroups(gateway, caller, '');
    if (others.length > 0) return false;
    await admitRate(gateway.rate, caller, group);
    return true;
  };
}

/** Calls whose answers are stored, and sent again: those with an Idempotency-Key, and those of the cache. */
interface Stored {
  calls: KeyedCalls;
  keyed: IdempotentCalls;
  kept: KeptAnswers;
  captured: CapturedStore;
  answers: AnswerCache;
}

function openStored(core: Core, gateway: GatewayDeps): Stored {
  const calls = createKeyedCalls({ ...core, db: core.store.db });
  const kept = createKeptAnswers({
    ...core,
    db: core.store.db,
    lifetime: () => core.settings.get('AnswerCacheSeconds'),
  });
  const captured = openCaptured(core);
  const answers = new AnswerCache({ kept, log: core.log });
  const refuse: ConstructorParameters<typeof IdempotentCalls>[0]['refuse'] = (relayCall, error) =>
    gateway.onRefused(relayCall, refuseCall(gateway, relayCall, error), undefined);
  return { calls, kept, captured, answers, keyed: new IdempotentCalls({ calls, log: core.log, refuse }) };
}

/** Counts what a call has cost, if its channel or a key of it has a limit of spend. */
function noteSpent(
  { routing, costs, spends }: Pick<Core, 'routing' | 'costs' | 'spends'>,
  facts: ConsumeFacts,
): void {
  const { channelId, tries } = facts;
  if (!routing.byId(channelId)?.limitsSpend) return;
  const spent = facts.cost ?? costs.of(facts) ?? facts.bill.quota;
  spends.note({ channelId, keyId: tries.at(-1)?.key?.id, model: facts.model, spent });
}

/** Reports a settlement to those who need it. */
const whenSettled =
  (
    core: Pick<Core, 'attempts' | 'spends' | 'costs' | 'routing'>,
    outside: RelayOutside,
    note: (requestId: string, charged: number, facts: ConsumeFacts) => void,
  ): GatewayDeps['onSettled'] =>
  ({ caller, requestId, trace }, settled, facts) => {
    const { charged, balance } = settled;
    trace?.settled(settled, facts);
    outside.metrics?.settled(facts, charged);
    // A stored answer says nothing about channels.
    if (facts.cacheShare === undefined) core.attempts.answered(facts);
    noteSpent(core, facts);
    note(requestId, charged, facts);
    const { userId, team } = caller;
    outside.onSettled({ userId: team?.ownerId ?? userId, charged, balance, team });
  };

interface DoorParts {
  clients: ClientReader;
  gateway: GatewayDeps;
  shared: Shared;
  protocols: ReturnType<typeof routeProtocols>;
  keyed: IdempotentCalls;
  answers: AnswerCache;
  captured: CapturedStore;
  house: TaskServices;
  cache: Cache;
}

/** Kinds of routes with texts that no hook reads. */
const uncheckedKinds: ReadonlySet<string> = new Set(['stored-response', 'tools']);

/** Characters of a request, and of an answer, that are captured. */
const maxCaptured = 64 * 1024;

/** Stores the texts of captured calls, redacted. */
function captureIn({ settings, log }: Core, captured: CapturedStore): GuardDeps['capture'] {
  let expressions: readonly string[] = [];
  let redactions: Redaction[] = [];
  return ({ requestId, caller }, rule, said) => {
    const wanted = settings.get('ContentRedactions');
    if (wanted !== expressions) [expressions, redactions] = [wanted, wanted.map(compileRedaction)];
    const shown = (text: string): string => redact(text.slice(0, maxCaptured), redactions);
    const teamId = rule.startsWith('organisation:') ? (caller.team?.id ?? 0) : 0;
    const texts = { request: shown(said.request), answer: shown(said.answer) };
    captured.keep({ requestId, userId: caller.userId, teamId }, texts).catch((err: unknown) => {
      log.error({ err, request: requestId }, 'the texts of a call could not be captured');
    });
  };
}

/** Refuses a call of a kind that hooks cannot check, if a closed rule applies to its caller. */
function refuseUnchecked({ settings, pricing }: Pick<Core, 'settings' | 'pricing'>, caller: Caller): void {
  const error = uncheckedError(pricing, settings.get('GuardHooks'), caller);
  if (error) throw error;
}

/** Opens the listener of calls: the handler of each kind of route. */
function openDoors(
  core: Core,
  { gateway, shared, protocols, keyed, answers, captured, house, cache, clients }: DoorParts,
): RelayListenerDeps {
  const funds = createFunds({ db: core.store.db, settings: core.settings });
  const guards: GuardDeps = {
    http: core.http,
    pricing: core.pricing,
    log: core.log,
    secret: () => core.settings.get('GuardHookSecret'),
    refuse: (call, error) => gateway.onRefused(call, refuseCall(gateway, call, error), undefined),
    report: (call, error) => gateway.onRefused(call, error, undefined),
    capture: captureIn(core, captured),
  };
  const visits = answerDeps(core, funds, gateway, { cache, shared, house, clients });
  const serveChecked = (call: RelayCall): Promise<void> => {
    const GuardHooks = core.settings.get('GuardHooks');
    const ContentCapture = core.settings.get('ContentCapture');
    return GuardHooks.length + ContentCapture.length > 0
      ? serveGuarded(guards, { GuardHooks, ContentCapture }, call, (checked) => serve(gateway, checked))
      : serve(gateway, call);
  };
  /** Serves a call that has no stored answer. */
  const serveNew = (call: RelayCall): Promise<void> => {
    if (call.inbound.id === 'openai-compact') return serveCompaction(gateway, call, serveChecked);
    if (!call.facts.inBackground) return serveChecked(call);
    const error = uncheckedError(core.pricing, core.settings.get('GuardHooks'), call.caller);
    if (!error) return house.ownResponses.serve(call, serveChecked);
    if (call.facts.stream) return serveChecked(call);
    guards.refuse(call, error);
    return Promise.resolve();
  };
  return {
    ...shared,
    maxBodyBytes: core.env.maxRequestBodyMb * mb,
    referencedText: (userId, id) => gateway.referencedTexts.find(userId, id),
    keptResponses: gateway.keptResponses,
    precheck: precheckIn(core, gateway, funds),
    siteLanguage: () => gateway.siteLanguage(),
    onRefused: ({ model, ...call }, error) =>
      gateway.onRefused({ ...call, facts: { model, stream: false } }, error, undefined),
    protocols,
    keyChanges: () => core.keys.changes(),
    serve(relayCall) {
      const { headers } = relayCall.req;
      // Most calls have neither header.
      if (headers[product.headers.explain] !== undefined && isDryRun(relayCall))
        return answerDryRun(gateway, relayCall);
      if (headers[idempotencyHeader] !== undefined) return keyed.serve(relayCall, serveNew);
      return core.settings.get('AnswerCacheSeconds') > 0
        ? answers.serve(relayCall, serveNew)
        : serveNew(relayCall);
    },
    answer: (authorized) => {
      const { kind, method } = authorized.matched.route;
      if (uncheckedKinds.has(kind) || (kind === 'cache' && method === 'POST'))
        refuseUnchecked(core, authorized.caller);
      return answerVisit(visits, authorized);
    },
    answerTask: (authorized) => {
      if (authorized.matched.route.method === 'POST' && core.settings.get('GuardHooks').length > 0)
        refuseUnchecked(core, authorized.caller);
      const { req, matched } = authorized;
      if (req.headers[idempotencyHeader] === undefined || !submitsTask(matched.route))
        return answerTask(house.routes, authorized);
      return answerKeyedTask(house.routes, authorized, {
        calls: keyed,
        refuse: ({ model, ...call }, error) =>
          gateway.onRefused(
            { ...call, facts: { model, stream: false } },
            shared.refuse(call, error),
            undefined,
          ),
      });
    },
  };
}

/** Wires the relay's side of the server. */
export function openRelay(core: Core, clients: ClientReader, outside: RelayOutside): Relay {
  const storedResponses = createStoredResponses({ ...core, db: core.store.db });
  const maxUserBytes = core.env.userFilesMb * mb;
  const vendorFiles = createVendorFiles({ db: core.store.db, clock: core.clock, maxUserBytes });
  if (outside.metrics) core.attempts.listen(outside.metrics);
  const keptParts = createKeptParts({
    ...core,
    db: core.store.db,
    isOn: () => core.settings.get('OwnBatchCalls') > 0,
  });
  const keptResponses = createKeptResponses({
    ...core,
    db: core.store.db,
    days: () => core.settings.get('StoredResponseDays'),
  });
  const referencedTexts = createReferencedTexts({ cache: outside.cache, log: core.log });
  const gateway = gatewayDeps({
    ...core,
    storedResponses,
    vendorFiles,
    keptParts,
    keptResponses,
    referencedTexts,
    cache: outside.cache,
    onRefused: ({ blame, status }) => outside.metrics?.refused(blame, status),
    onSettled: whenSettled(core, outside, (requestId, charged, facts) => {
      keyed.settled(requestId, charged);
      if (answers.open.size > 0) answers.settled(requestId, facts);
    }),
  });
  const { calls, keyed, kept, captured, answers } = openStored(core, gateway);
  const protocols = routeProtocols();
  let state: 'serving' | 'leaving' | 'stopped' = 'serving';
  const memory = bodyMemory(core);
  const uploads = createUploadAddresses(core);
  const shared: Shared = {
    routes: relayRoutes(protocols),
    clock: core.clock,
    clientIp: (req) => clients.ip(req),
    identify: identifyIn(core, outside, uploads),
    uploads,
    sessionSecrets: createSessionSecrets({ db: core.store.db, clock: core.clock }),
    refuse: (target, error) => refuseCall(gateway, target, error),
    isStopping: () => state === 'stopped',
    memory,
    traces: outside.traces,
  };
  const table = new RelayTable(shared.routes);
  const house = openTasks(
    core,
    gateway,
    { clients, table },
    {
      onSettled: (settled) => outside.onSettled(settled),
      onBegun: (requestId) => keyed.settled(requestId, 0),
    },
  );
  const doors = openDoors(core, {
    gateway,
    shared,
    protocols,
    keyed,
    answers,
    captured,
    house,
    cache: outside.cache,
    clients,
  });
  const realtime = openRealtime(core, gateway, clients, { shared, doors });
  const leave = (): void => {
    state = 'leaving';
    realtime.stop();
  };
  return {
    gateway,
    doors: createRelayListener(doors),
    upgrades: realtime.upgrades,
    keyedCalls: calls,
    keptAnswers: kept,
    captured,
    storedResponses,
    keptParts,
    keptResponses,
    house,
    leave,
    stop() {
      leave();
      state = 'stopped';
    },
    isLeaving: () => state !== 'serving',
    bodyBytes: () => memory.bytes,
  };
}

interface GatewayParts {
  env: Env;
  settings: Settings;
  pricing: Pricing;
  costs: Costs;
  budgetRules: BudgetRules;
  runs: Runs;
  ledger: Ledger;
  routing: Routing;
  storedResponses: StoredResponses;
  vendorFiles: VendorFiles;
  keptParts: KeptParts;
  keptResponses: KeptResponses;
  referencedTexts: ReferencedTexts;
  channels: Channels;
  http: Http;
  counter: TokenCounter;
  beforeSend: BeforeSend;
  /** The cache that the site's processes share. */
  cache: Cache;
  clock: Clock;
  log: Log;
  /** Called after each settlement. Must not wait. */
  onSettled: GatewayDeps['onSettled'];
  /** Called for each refusal of a known caller. Must not wait. */
  onRefused(error: RelayError): void;
  failures: Pick<FailureLog, 'note'>;
  attempts: AttemptCounts;
  spends: Spends;
}

function prepareDeps({ env, settings, http, beforeSend, log }: GatewayParts): PrepareDeps {
  const missing = new MissingProtocols();
  return {
    provider: providerOf,
    options: relayOptions(env, settings, (channel, protocol) => missing.has(channel, protocol)),
    fetchFile: createFileFetch({ http, settings, maxBytes: env.maxFileDownloadMb * 1024 * 1024 }),
    beforeSend,
    strip: withoutPlaygroundWords,
    missing,
    log,
  };
}

/** Wires the gateway: everything that one request needs, from the services of this process. */
function gatewayDeps(parts: GatewayParts): GatewayDeps {
  const { env, settings, pricing, ledger, routing, http, counter, clock, log } = parts;
  const words = currentWordFilter(settings);
  const prepare = prepareDeps(parts);
  return {
    pricing,
    ledger,
    routing,
    limits: createLimits({ ...parts, unitsPerDollar: () => settings.get('QuotaPerUnit') }),
    storedResponses: parts.storedResponses,
    vendorFiles: parts.vendorFiles,
    keptParts: parts.keptParts,
    filesUrl(api, channel, behind) {
      const { files, cachesUrl, containersUrl } = providerOf(channel.type) ?? {};
      if (api === 'containers') return containersUrl?.(channel, behind ?? '');
      if (api === 'caches') return cachesUrl?.(channel, behind ?? '');
      if (files?.api !== api) return undefined;
      if (behind === undefined) return files.uploadUrl?.(channel) ?? files.url(channel, '');
      return files.url(channel, behind);
    },
    keptResponses: parts.keptResponses,
    referencedTexts: parts.referencedTexts,
    http,
    clock,
    log,
    running: new Running(),
    rate: {
      limiter: createModelLimiter({ cache: parts.cache, clock, log }),
      limitsOf: (group) => modelLimitsOf(settings, group),
    },
    forbiddenWord(relayCall) {
      const filter = words();
      return filter ? wordIn(filter.find, relayCall.json) : undefined;
    },
    boundPrompt: ({ inbound, json, facts }) =>
      countRequest(countAtMost(counter), inbound.id, json, facts.model),
    countPrompt: ({ inbound, json, facts }) => countRequest(counter, inbound.id, json, facts.model),
    countTokens: (text, model) => countText(counter, text, model),
    markRounds: new MarkRounds(),
    showQuota: (amount) => showQuota(settings, amount),
    answerCacheShare: () => settings.get('AnswerCacheShare'),
    bindsAnswers: () => settings.get('SignedReceipts'),
    unitsPerDollar: () => settings.get('QuotaPerUnit'),
    preConsumedTokens: () => settings.get('PreConsumedQuota'),
    fallbacksOf: (model) => fallbacksIn(settings, model),
    requiredTags({ tokenId, team }, group) {
      const rules = settings.get('RequiredTags');
      let required = noNames;
      for (const rule in rules)
        if (
          rule === `group:${group}` ||
          rule === `key:${tokenId}` ||
          rule === `organisation:${team?.id ?? 0}`
        )
          required = [...required, ...rules[rule]!];
      return required;
    },
    retryTimes: () => settings.get('RetryTimes'),
    onFailure: disableOnFailure(parts),
    attempts: parts.attempts,
    prepare: (relayCall, channel, cancellation) => prepareCall(prepare, relayCall, channel, cancellation),
    dropRejectedToken(channel, call, error) {
      const provider = providerOf(channel.type);
      return provider !== undefined && parts.beforeSend.dropRejectedToken(provider, call, error);
    },
    canLimitUses: (relayCall, channel) => canLimitUses(prepare, relayCall, channel),
    vendorProtocol: (call, channel) => vendorProtocol(prepare, call, channel),
    goesOnTranslated: (...failed) => goesOnTranslated(prepare, ...failed),
    timeouts: upstreamTimeouts(env.streamingTimeoutSeconds, env.relayTimeoutSeconds),
    identityHeaders,
    siteLanguage: () => siteLanguage(settings),
    billingStatus: () => billingStatus(settings),
    pingEveryMs: () => pingEveryMs(settings),
    logsConsumption: () => settings.get('LogConsumeEnabled'),
    sumsHourly: () => settings.get('DataExportEnabled'),
    costOf: (call) => parts.costs.of(call),
    costVersion: (price) => parts.costs.version(price),
    budgetsOf: (call) => parts.budgetRules.of?.(call),
    isTokenBudget: (id) => parts.budgetRules.inTokens.has(id),
    runs: parts.runs,
    onSettled: (relayCall, settled, facts) => parts.onSettled(relayCall, settled, facts),
    onRefused: (relayCall, error, failed) => {
      parts.onRefused(error);
      relayCall.trace?.refused(error);
      if (error.status >= 500 && error.blame !== 'caller') parts.attempts.refused(relayCall.facts.model);
      if (env.errorLog) parts.failures.note(failureRow(relayCall, error, failed, clock()));
    },
  };
}

/** The relay's WebSockets. */
interface Realtime {
  upgrades: UpgradeListener;
  /** Each session ends as soon as no response is running. */
  stop(): void;
}

type Shared = Pick<
  RelayListenerDeps,
  'routes' | 'clock' | 'clientIp' | 'identify' | 'refuse' | 'isStopping' | 'memory' | 'traces'
> & { uploads: UploadAddresses; sessionSecrets: SessionSecrets };

/** Wires the relay's WebSockets, with the same admission as its calls. */
function openRealtime(
  core: Core,
  gateway: GatewayDeps,
  clients: ClientReader,
  { shared, doors }: { shared: Shared; doors: RelayListenerDeps },
): Realtime {
  const limits = realtimeLimits(core.env.streamingTimeoutSeconds * 1000);
  const sessions = new Sessions(core.env.realtimeSessionsPerUser);
  const realtime = {
    gateway,
    sessions,
    limits,
    handles: createLiveHandles(core),
    dial: { provider: providerOf, options: relayOptions(core.env, core.settings) },
  };
  const upgrades = createUpgradeListener({
    ...shared,
    acceptor: createAcceptor(limits.socket),
    ownOrigin: (req) => clients.origin(req),
    serverAddress: () => core.settings.get('ServerAddress'),
    identityHeaders,
    findGrant: (secret) => shared.sessionSecrets.find(secret),
    useGrant: (secret) => shared.sessionSecrets.use(secret),
    sessions,
    // Browsers have other addresses than the owner of the key.
    identifyGrant: ({ key }) => identifyByMark(core.keys, key),
    async serve(visit) {
      const { relayCall } = visit;
      const error = uncheckedError(core.pricing, core.settings.get('GuardHooks'), relayCall.caller);
      if (error) gateway.onRefused(relayCall, refuseCall(gateway, relayCall, error), undefined);
      else await serveRealtime(realtime, visit);
    },
    serveResponses: (handshake) => serveResponsesSocket({ ...doors, sessions }, handshake),
  });
  return { upgrades, stop: () => sessions.stop() };
}

/** Tasks: the service, the poller, and the dependencies of their calls. */
interface TaskServices {
  tasks: Tasks;
  sales: Sales;
  selling: SaleDeps;
  poller: TaskPoller;
  /** Responses that the gateway runs in the background itself. */
  ownResponses: OwnResponses;
  routes: TaskRouteDeps;
}

/** Wires tasks on the gateway of plain calls. */
function openTasks(
  core: Core,
  gateway: GatewayDeps,
  { clients, table }: { clients: Pick<ClientReader, 'origin'>; table: RelayTable },
  {
    onSettled,
    onBegun,
  }: Record<'onSettled', (settled: SettledBalance) => void> & Record<'onBegun', TaskDeps['onBegun']>,
): TaskServices {
  const { settings } = core;
  const tasks = createTasks({
    db: core.store.db,
    ledger: core.ledger,
    clock: core.clock,
    node: core.node,
    // Workers start after the process that writes their file, and may be fewer than before.
    isFirst: core.store.sqlite !== undefined,
    logsConsumption: () => gateway.logsConsumption(),
    sumsHourly: () => gateway.sumsHourly(),
    showQuota: (amount) => showQuota(settings, amount, '＄'),
  });
  const batches = createBatches({
    db: core.store.db,
    ledger: core.ledger,
    clock: core.clock,
    node: core.node,
  });
  const deps: TaskDeps = {
    gateway,
    tasks,
    batches,
    batchFactor: () => settings.get('BatchPriceFactor'),
    ownBatchCalls: () => settings.get('OwnBatchCalls'),
    async callerNow(key) {
      // Its address was checked when it submitted the batch, and its balance is held.
      const caller = await identifyByMark(core.keys, key, undefined, true);
      refuseUnchecked(core, caller);
      return caller;
    },
    maxUserFilesMb: core.env.userFilesMb,
    onItem: (facts) => noteSpent(core, facts),
    provider: providerOf,
    toolsFor: core.sendTools,
    onBegun,
    onSettled({ caller: { userId, team }, trace }, { charged, balance }, facts) {
      noteSpent(core, facts);
      trace?.settled({ charged });
      onSettled({ userId: team?.ownerId ?? userId, charged, balance, team });
    },
  };
  const poller = new TaskPoller(deps);
  const sales = createSales({
    db: core.store.db,
    ledger: core.ledger,
    clock: core.clock,
    log: core.log,
    logsConsumption: () => gateway.logsConsumption(),
    sumsHourly: () => gateway.sumsHourly(),
  });
  return {
    tasks,
    sales,
    selling: {
      gateway,
      sales,
      onSettled: ({ userId, team }, { charged, balance }) =>
        onSettled({ userId: team?.ownerId ?? userId, charged, balance, team }),
    },
    poller,
    ownResponses: new OwnResponses(deps),
    routes: {
      tasks: deps,
      poller,
      options: (req) => ({
        MjNotifyEnabled: settings.get('MjNotifyEnabled'),
        MjAccountFilterEnabled: settings.get('MjAccountFilterEnabled'),
        MjForwardUrlEnabled: settings.get('MjForwardUrlEnabled'),
        MjModeClearEnabled: settings.get('MjModeClearEnabled'),
        MjActionCheckSuccessEnabled: settings.get('MjActionCheckSuccessEnabled'),
        ServerAddress: settings.get('ServerAddress') || clients.origin(req),
      }),
      maxBodyBytes: core.env.maxRequestBodyMb * mb,
      maxFileBytes: core.env.maxFileUploadMb * mb,
      routeOf: (path) => table.match('POST', path)?.route,
      identityHeaders,
    },
  };
}

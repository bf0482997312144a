import { type Cache, slidingHit } from '../cache/index.ts';
import type { IncomingMessage } from 'node:http';
import { nodeHttp } from '@tollgate/http-engine';
import type { Core } from './core.ts';
import { gatewayDeps } from './gateway.ts';
import { openRealtime } from './realtime.ts';
import { type TaskServices, openTasks } from './tasks.ts';
import {
  admitRate,
  type Caller,
  countTokens,
  createFundsCheck,
  type GatewayDeps,
  IdempotentCalls,
  identifyByKey,
  identityHeaders,
  modelsFor,
  refuseCall,
  serve,
  siteLanguage,
  usingGroup,
} from '../gateway/index.ts';
import { BodyMemory } from '../lib/body-memory.ts';
import type { ClientReader } from '../http/client.ts';
import { createIpLimiter, ipLimitRules } from '../http/ip-limit.ts';
import {
  type AnswerDeps,
  answerTask,
  answerVisit,
  createRelayListener,
  type RelayListener,
  ownersOfModels,
  relayRoutes,
  routeProtocols,
  type UpgradeListener,
} from '../http/relay/index.ts';
import { providers } from '../relay/registry.ts';
import { withTimeout } from '../services/money/ledger/index.ts';
import { createKeyedCalls, type KeyedCalls } from '../services/calls/idempotency/index.ts';
import {
  createStoredResponses,
  createReferencedTexts,
  type StoredResponses,
} from '../services/calls/routing/index.ts';
import type { Metrics } from '../services/site/metrics/index.ts';
import type { SettledBalance } from '../services/site/notify/index.ts';
import type { CallTraces } from '../services/site/traces/index.ts';
import { createFunds, type FundsReader } from '../services/people/tokens/index.ts';
import { logs } from '../store/index.ts';

/** What the relay needs of the services about users. */
export interface RelayOutside {
  /** The logged-in user of a call of a console page, or of an element of a page; throws the error. */
  identifySession(req: IncomingMessage, isElement: boolean): Promise<Caller>;
  /** The cache that the site's processes share. */
  cache: Cache;
  /** Called after each settlement. Must not wait. */
  onSettled(settled: SettledBalance): void;
  /** Metrics of calls; undefined if disabled. */
  metrics: Pick<Metrics, 'settled' | 'refused'> | undefined;
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
  storedResponses: StoredResponses;
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

function answerDeps(core: Core, funds: FundsReader, gateway: GatewayDeps, cache: Cache): AnswerDeps {
  const limitReads = createIpLimiter({
    rules: ipLimitRules(core.env),
    hit: (name, windowSeconds) => slidingHit(cache, name, windowSeconds, core.clock),
    log: core.log,
  });
  return {
    countExchange: (relayCall) => countTokens(gateway, relayCall),
    referencedText: (userId, id) => gateway.referencedTexts.find(userId, id),
    maxBodyBytes: core.env.maxRequestBodyMb * mb,
    siteLanguage: () => siteLanguage(core.settings),
    modelsFor: (caller) => modelsFor(core, caller),
    ownedBy: ownersOfModels(providers),
    funds,
    usageOf: (tokenId, period) => logs.usageOfToken(core.store.reports, tokenId, period),
    dollars: (quota) => quota / core.settings.get('QuotaPerUnit'),
    showsDollars: () => core.settings.get('DisplayInCurrencyEnabled'),
    clock: core.clock,
    limitReads,
    identityHeaders,
  };
}

type Shared = Parameters<typeof openRealtime>[3];

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
  tokenUnlimited: false,
  modelLimits: null,
  pinnedChannelId: 0,
  team: null,
};

/** The caller: by a key, or as a logged-in user of the console. */
const identifyIn =
  ({ keys }: Core, outside: RelayOutside): Shared['identify'] =>
  ({ route, req, path, query, ip }) => {
    if (route.access === 'key')
      return identifyByKey(keys, req, { path, query, ip, isReader: route.kind === 'figures' });
    if (route.access === 'public') return Promise.resolve(nobody);
    if (req instanceof nodeHttp.IncomingMessage)
      return outside.identifySession(req, route.access === 'element');
    throw new Error('sessions are read from requests of Node alone');
  };

const bodyMemory = ({ env }: Core): BodyMemory =>
  new BodyMemory({ process: env.bodyMemoryMb * mb, owner: env.bodyMemoryPerKeyMb * mb });

/** What is checked before a body is read. */
function precheckIn(gateway: GatewayDeps, funds: FundsReader): (caller: Caller) => Promise<void> {
  const checkFunds = createFundsCheck({
    ...gateway,
    fundsOf: (caller) => withTimeout(funds.left(caller)),
  });
  return async (caller) => {
    await checkFunds(caller);
    await admitRate(gateway.rate, caller, usingGroup(gateway, caller, ''));
  };
}

/** Calls with an Idempotency-Key: stored, and answered again. */
function openKeyed(core: Core, gateway: GatewayDeps): { calls: KeyedCalls; keyed: IdempotentCalls } {
  const calls = createKeyedCalls({ ...core, db: core.store.db });
  const refuse: ConstructorParameters<typeof IdempotentCalls>[0]['refuse'] = (relayCall, error) =>
    gateway.onRefused(relayCall, refuseCall(gateway, relayCall, error), undefined);
  return { calls, keyed: new IdempotentCalls({ calls, log: core.log, refuse }) };
}

/** Reports a settlement to those who need it. */
const whenSettled =
  (outside: RelayOutside, note: (requestId: string, charged: number) => void): GatewayDeps['onSettled'] =>
  ({ caller, requestId, trace }, settled, facts) => {
    const { charged, balance } = settled;
    trace?.settled(settled, facts);
    outside.metrics?.settled(facts, charged);
    note(requestId, charged);
    const { userId, team } = caller;
    outside.onSettled({ userId: team?.ownerId ?? userId, charged, balance, team });
  };

interface DoorParts {
  gateway: GatewayDeps;
  shared: Shared;
  protocols: ReturnType<typeof routeProtocols>;
  keyed: IdempotentCalls;
  house: TaskServices;
  cache: Cache;
}

/** Opens the listener of calls: the handler of each kind of route. */
function openDoors(
  core: Core,
  { gateway, shared, protocols, keyed, house, cache }: DoorParts,
): RelayListener {
  const funds = createFunds({ db: core.store.db, settings: core.settings });
  const answers = answerDeps(core, funds, gateway, cache);
  return createRelayListener({
    ...shared,
    maxBodyBytes: core.env.maxRequestBodyMb * mb,
    referencedText: (userId, id) => gateway.referencedTexts.find(userId, id),
    precheck: precheckIn(gateway, funds),
    siteLanguage: () => gateway.siteLanguage(),
    onRefused: ({ model, ...call }, error) =>
      gateway.onRefused({ ...call, facts: { model, stream: false } }, error, undefined),
    protocols,
    keyChanges: () => core.keys.changes(),
    serve: (relayCall) => keyed.serve(relayCall, (each) => serve(gateway, each)),
    answer: (authorized) => answerVisit(answers, authorized),
    answerTask: (authorized) => answerTask(house.routes, authorized),
  });
}

/** Wires the relay's side of the server. */
export function openRelay(core: Core, clients: ClientReader, outside: RelayOutside): Relay {
  const storedResponses = createStoredResponses({ ...core, db: core.store.db });
  const referencedTexts = createReferencedTexts({ cache: outside.cache, log: core.log });
  const gateway = gatewayDeps({
    ...core,
    storedResponses,
    referencedTexts,
    cache: outside.cache,
    onRefused: ({ blame, status }) => outside.metrics?.refused(blame, status),
    onSettled: whenSettled(outside, (requestId, charged) => keyed.settled(requestId, charged)),
  });
  const { calls, keyed } = openKeyed(core, gateway);
  const protocols = routeProtocols();
  let state: 'serving' | 'leaving' | 'stopped' = 'serving';
  const memory = bodyMemory(core);
  const shared: Shared = {
    routes: relayRoutes(protocols),
    clock: core.clock,
    clientIp: (req) => clients.ip(req),
    identify: identifyIn(core, outside),
    refuse: (target, error) => refuseCall(gateway, target, error),
    isStopping: () => state === 'stopped',
    memory,
    traces: outside.traces,
  };
  const house = openTasks(core, gateway, clients, (settled) => outside.onSettled(settled));
  const realtime = openRealtime(core, gateway, clients, shared);
  const doors = openDoors(core, { gateway, shared, protocols, keyed, house, cache: outside.cache });
  const leave = (): void => {
    state = 'leaving';
    realtime.stop();
  };
  return {
    gateway,
    doors,
    upgrades: realtime.upgrades,
    keyedCalls: calls,
    storedResponses,
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

import { logQuota } from '@tollgate/contract';
import { hostname } from 'node:os';
import type { Env } from './env.ts';
import {
  type BeforeSend,
  createBeforeSend,
  createFileFetch,
  createSendTools,
  ToolServers,
  type SendEffects,
  type TaskDeps,
} from '../gateway/index.ts';
import { type Clock, systemClock, systemSleep } from '../lib/clock.ts';
import { createHttp, type Http } from '../lib/outbound/http.ts';
import { createGuard } from '../lib/outbound/outbound-guard.ts';
import { createLog, type Log } from '../lib/log.ts';
import type { ProcessLink } from '../lib/processes/process-link.ts';
import { createSealer, type Sealer } from '../lib/seal.ts';
import { createTokenCounter, type TokenCounter } from '../lib/token-count/token-counter.ts';
import { readFormerKey, readMasterKey } from './master-key.ts';
import { channelTypes, providerOf } from '../relay/registry.ts';
import { type Audit, createAudit, differences } from '../services/site/audit/index.ts';
import { type Channels, createChannels, type ChannelNotice } from '../services/calls/channels/index.ts';
import {
  type BudgetRules,
  createBudgetRules,
  createRuns,
  type Runs,
} from '../services/money/budgets/index.ts';
import { type Costs, createCosts } from '../services/money/costs/index.ts';
import {
  createLedger,
  type EngineSettings,
  type Ledger,
  type LedgerDeps,
  LedgerUnavailable,
  withTimeout,
} from '../services/money/ledger/index.ts';
import {
  archiveMissing,
  createFailureLog,
  createLogHours,
  createLogMover,
  createLogs,
  type FailureLog,
  type LogHours,
  type LogMover,
  type Logs,
} from '../services/upkeep/logs/index.ts';
import { crashRow } from '../services/calls/metering/index.ts';
import { createPricing, type Pricing } from '../services/money/pricing/index.ts';
import {
  type AttemptCounts,
  type ChannelHealth,
  createAttemptCounts,
  createSpends,
  type Spends,
  createChannelHealth,
  createHealth,
  createPolicies,
  createRouting,
  type Routing,
  type HealthEvent,
  type HealthId,
} from '../services/calls/routing/index.ts';
import { firstMasterKey, renewSeals } from '../services/upkeep/seals/index.ts';
import { createSettings, type Settings } from '../services/site/settings/index.ts';
import { turnLimit } from '../services/people/teams/index.ts';
import {
  createKeyResolver,
  findStoredToken,
  type KeyResolver,
  type LimitTurn,
} from '../services/people/tokens/index.ts';
import {
  archivedUpTo,
  changeMarks,
  inTransaction,
  migrate,
  openStore,
  options,
  type Store,
} from '../store/index.ts';
import { EventEmitter } from 'node:events';
import { setImmediate as setImmediatePromise } from 'node:timers/promises';
import {
  type Alarms,
  createAlarms,
  createDeliveryQueue,
  createMailer,
  type DeliveryQueue,
  type Mail,
  type Mailer,
} from '../services/site/notify/index.ts';

/** Events of one part of the process for others. Name → arguments. Listeners must not wait. */
interface EventMap {
  /** Tollgate disabled or enabled a channel. */
  channelChanged: [notice: ChannelNotice];
  /** A call of this process changed the known health of a channel. */
  channelHealth: [what: HealthEvent, id: HealthId, waitMs: number];
  /** A user changed, here or in another process (id): cached data of the user are outdated. */
  userChanged: [userId: number];
}

/** Created before all parts, and passed to those who emit and those who listen. */
type Events = EventEmitter<EventMap>;

/** Events without listeners. */
const createEvents = (): Events => new EventEmitter<EventMap>();

/** The parts that both relay and console use. */
export interface Core {
  env: Env;
  /** The name of this process among others on the same database, stable over a restart. */
  node: string;
  clock: Clock;
  log: Log;
  masterKey: Buffer;
  /** The secret for hashes: the first master key of the database. */
  firstMasterKey: Buffer;
  sealer: Sealer;
  http: Http;
  counter: TokenCounter;
  /** Signs calls and exchanges keys for access tokens, for callers' and Tollgate's own calls. */
  beforeSend: BeforeSend;
  /** The same tools for calls about tasks. */
  sendTools: TaskDeps['toolsFor'];
  /** Tool servers behind channels. */
  toolServers: ToolServers;
  store: Store;
  /** The newest change mark before anything was read into memory. */
  markAtStart: number;
  settings: Settings;
  pricing: Pricing;
  /** The operator's cost of calls. */
  costs: Costs;
  /** Finds the budgets of calls. */
  budgetRules: BudgetRules;
  /** Runs of agents. */
  runs: Runs;
  ledger: Ledger;
  routing: Routing;
  channels: Channels;
  logs: Logs;
  logHours: LogHours;
  logMover: LogMover | null;
  /** The present name of a channel; '' if it is deleted. */
  channelName: (id: number) => string;
  failures: FailureLog;
  /** Results of attempts on channels. */
  attempts: AttemptCounts;
  /** What calls cost today, for limits of channels. */
  spends: Spends;
  channelHealth: ChannelHealth;
  keys: KeyResolver;
  audit: Audit;
  /** Events of one part for others. */
  events: Events;
  /** Alarms of operators. */
  alarms: Alarms;
}

/** The change mark of the options table. */
export const optionsMark = 'options';

/** Options that the environment disables, so that a wrong one cannot lock every administrator out. */
const overruled = (env: Env): ReadonlySet<string> => new Set(env.humanCheck ? [] : ['TurnstileCheckEnabled']);

async function openSettings({
  env,
  store,
  sealer,
  log,
  clock,
  audit,
}: Pick<Core, 'env' | 'store' | 'sealer' | 'log' | 'clock' | 'audit'>): Promise<Settings> {
  return createSettings({
    overruled: overruled(env),
    sealer,
    log,
    clock,
    options: {
      all: () => options.all(store.db),
      put: (rows, changes) =>
        inTransaction(store.db, async (db) => {
          for (const { key, value } of rows) await options.put(db, key, value);
          for (const { key, before, after } of changes) {
            const changed = differences({ [key]: before }, { [key]: after });
            await audit.record(db, { target: { type: 'setting', id: key }, changes: changed });
          }
          await changeMarks.mark(db, [optionsMark]);
        }),
    },
  });
}

/** The ledger, after recovery from a crash. */
async function openLedger(deps: LedgerDeps, costs: Costs): Promise<Ledger> {
  const ledger = createLedger({ ...deps, crashRow: (hold) => crashRow(hold, (call) => costs.of(call)) });
  await recoverHolds(ledger, deps.log);
  return ledger;
}

/** Interval of a start's checks that the database accepts the recovery's writes, in ms. */
const refusingEveryMs = 100;

/**
 * Recovers holds of a crashed process. If the database takes no writes, such as on a full disk, the process starts
 * anyway: the recovery stays queued, and calls are refused until it is written.
 */
async function recoverHolds(ledger: Ledger, log: Log): Promise<void> {
  const recovering = ledger.recover();
  const { promise: refusing, reject } = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    if (ledger.isRefusing()) reject(new LedgerUnavailable());
  }, refusingEveryMs);
  try {
    const recovery = await Promise.race([recovering, refusing]);
    if (recovery.settled + recovery.released > 0) log.warn({ recovery }, 'ended holds that a crash had left');
  } catch (err) {
    if (!(err instanceof LedgerUnavailable)) throw err;
    recovering.catch(() => undefined);
    log.error(
      { err },
      'the database takes no writes (is its disk full?): calls are served, and holds that a crash left are ended, as soon as it does',
    );
  } finally {
    clearInterval(timer);
  }
}

/** Parts that tests replace: waiting, fetched files, and the ledger's timeout for its database. */
export interface CoreEdges extends Partial<SendEffects> {
  ledgerBounds?: Partial<EngineSettings>;
  /** The name of a process that is not the first of its installation. */
  node?: string;
  /** The first process, if this one is a worker; it announces changes. */
  first?: ProcessLink;
}

/** The master key, the former one during a rotation, and what encrypts with them. */
function readKeys(env: Env): { masterKey: Buffer; former: Buffer | undefined; sealer: Sealer } {
  const masterKey = readMasterKey(env);
  const former = readFormerKey(env);
  return { masterKey, former, sealer: createSealer(masterKey, former) };
}

/** Opens the database and brings its schema up to date. */
async function openDatabase(env: Env, log: Log, first?: ProcessLink): Promise<Store> {
  const store = await openStore({
    url: env.databaseUrl,
    logUrl: env.logDatabaseUrl,
    dataDir: env.dataDir,
    maxConnections: env.databasePool,
    ...(first && { first }),
    onConnectionError: (error) => log.warn({ err: error }, 'a database connection broke'),
    onCheckpointError: (error) => log.warn({ err: error }, 'a checkpoint of the database failed'),
  });
  await migrate(store, { onChange: (migration) => log.info({ migration }, 'a migration begins') });
  if (!store.archive && (await archivedUpTo(store.db)) > 0) log.warn({}, archiveMissing);
  return store;
}

/** Opens the database and the services, in the order of their floors, and recovers from a crash. */
export async function openCore(
  env: Env,
  clock: Clock = systemClock,
  { ledgerBounds, node = nodeName(env), first, ...edges }: CoreEdges = {},
): Promise<Core> {
  const log = createLog(env.logLevel);
  const events = createEvents();
  const { masterKey, former, sealer } = readKeys(env);
  const store = await openDatabase(env, log, first);
  const markAtStart = await changeMarks.latest(store.db);
  const founding = await firstMasterKey(store.db, sealer, { current: masterKey, former });
  await renewSeals({ db: store.db, sealer, log });
  const audit = createAudit({ db: store.db, reports: store.reports, clock });
  const settings = await openSettings({ env, store, sealer, log, clock, audit });
  const costs = await createCosts({ db: store.db, audit });
  const budgetRules = await createBudgetRules({ db: store.db, clock });
  const amountText = (quota: number): string =>
    logQuota(quota, {
      inCurrency: settings.get('DisplayInCurrencyEnabled'),
      perUnit: settings.get('QuotaPerUnit'),
    });
  const ledger = await openLedger(
    { store, log, clock, node, amountText, settings: ledgerBounds ?? {} },
    costs,
  );
  const http = openHttp(env);
  const house = openChannels({ store, sealer, settings, clock, log, events, audit });
  const sendEdges: SendEffects = {
    sleep: systemSleep,
    renewKey: (id, renewal) => house.channels.renewKey(id, renewal),
    fetchFile: createFileFetch({ http, settings, maxBytes: env.maxFileDownloadMb * 1024 * 1024 }),
    ...edges,
  };
  const core: Core = {
    env,
    node,
    clock,
    log,
    masterKey,
    firstMasterKey: founding,
    sealer,
    http,
    counter: createTokenCounter(),
    beforeSend: createBeforeSend({ http, clock, ...sendEdges }),
    sendTools: createSendTools({ http, clock, ...sendEdges }),
    toolServers: new ToolServers({ http, clock }),
    store,
    markAtStart,
    settings,
    audit,
    pricing: createPricing({ settings, log }),
    costs,
    budgetRules,
    runs: createRuns({ db: store.db, ledger, audit, clock }),
    ledger,
    ...house,
    keys: openKeys(store, ledger, clock),
    events,
    alarms: createAlarms({
      db: store.db,
      sealer,
      settings,
      mailer: createMailer({ settings }),
      http,
      clock,
      log,
    }),
  };
  await core.routing.reload();
  return core;
}

const openHttp = (env: Env): Http =>
  createHttp(createGuard({ publicPorts: env.publicPorts }), {
    engine: env.httpEngine,
    bound: { connections: env.upstreamConnections, waitMs: env.upstreamWaitSeconds * 1_000 },
  });

/** The relay's key cache; looking up a team's key also starts a new month of its member's limit. */
function openKeys({ db }: Store, ledger: Ledger, clock: Clock): KeyResolver {
  const limits: LimitTurn = { turn: (member) => turnLimit({ ledger, clock }, member) };
  return createKeyResolver({
    find: (hash, isOfRun) => withTimeout(findStoredToken(db, limits, hash, isOfRun)),
    clock,
  });
}

function openChannels({
  store,
  sealer,
  settings,
  clock,
  log,
  events,
  audit,
}: Pick<Core, 'store' | 'sealer' | 'settings' | 'clock' | 'log' | 'events' | 'audit'>): Pick<
  Core,
  | 'channels'
  | 'routing'
  | 'logs'
  | 'logHours'
  | 'logMover'
  | 'failures'
  | 'attempts'
  | 'spends'
  | 'channelHealth'
  | 'channelName'
> {
  const channels = createChannels({
    db: store.db,
    sealer,
    types: channelTypes,
    audit,
    clock,
    log,
    onChange: () => routing.reload(),
    announce: (notice) => void events.emit('channelChanged', notice),
  });
  const routing = createRouting({
    async loadChannels() {
      const all = await channels.loadAll();
      // A closed vendor serves no model.
      return all.map((routed) =>
        channelTypes.isClosed(routed.channel.type) ? { ...routed, models: [] } : routed,
      );
    },
    random: Math.random,
    policyOf: createPolicies(() => settings.get('RoutingPolicies')),
    clock,
    onKeyUse: (channelId, keyId) => channels.countKeyUse(channelId, keyId),
    health: createHealth(clock, (what, id, waitMs) => void events.emit('channelHealth', what, id, waitMs)),
    log,
  });
  const channelName = (id: number): string => routing.byId(id)?.channel.name ?? '';
  const logs = createLogs({ db: store.db, audit, reports: store.reports, clock, channelName });
  const failures = createFailureLog({ insert: (rows) => logs.writeMany(rows), clock, log });
  const logHours = createLogHours({ db: store.db, reports: store.reports, clock });
  const { db, reports, archive } = store;
  const logMover = archive ? createLogMover({ db, reports, archive, clock, log }) : null;
  const attempts = createAttemptCounts({ db, clock, log });
  const spends = createSpends({ reports, clock, attempts, log });
  const models = () => routing.models();
  const channelHealth = createChannelHealth({ db, reports, clock, channelName, models });
  return {
    channels,
    routing,
    logs,
    logHours,
    logMover,
    failures,
    attempts,
    spends,
    channelHealth,
    channelName,
  };
}

/** The name of the first process, or the only one, of an installation. At most 64 characters. */
export const nodeName = (env: Env): string => `${hostname()}:${env.port}:${env.dataDir}`.slice(-64);

/** Closes everything that `openCore` opened; the ledger first, so that queued writes become durable. */
export async function closeCore(core: Core): Promise<void> {
  await core.ledger.close();
  await core.failures.close();
  await core.attempts.flush();
  await core.http.close();
  await core.counter.close();
  await core.store.close();
}

/** Outgoing messages to users. */
export interface Mails {
  mailer: Mailer;
  queue: DeliveryQueue;
  /**
   * Queues a mail after the answer to the call that causes it, so that the response time does not reveal whether
   * there was one.
   */
  send(mail: Mail): void;
  /** Resolves when all queued messages were sent or have failed. */
  idle(): Promise<void>;
}

/** Opens the mailer and the queue of automatic messages. */
export function openMails({ settings, log }: Pick<Core, 'settings' | 'log'>): Mails {
  const mailer = createMailer({ settings });
  const queue = createDeliveryQueue({ log });
  return {
    mailer,
    queue,
    send(mail) {
      setImmediate(() => queue.add({ about: { mail: 'account' }, send: () => mailer.send(mail) }));
    },
    async idle() {
      await setImmediatePromise();
      await queue.idle();
    },
  };
}

/** True for a name that only tool servers have: lists of models are for chats and the like. */
export function isTool({ routing }: Pick<Core, 'routing'>, model: string): boolean {
  const [group = ''] = routing.groupsOf(model);
  const channels = routing.candidates(group, model).flatMap((level) => level.channels);
  return channels.length > 0 && channels.every(({ type }) => providerOf(type)?.isToolServer === true);
}

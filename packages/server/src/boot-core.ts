import { hostname } from 'node:os';
import type { Env } from './env.ts';
import { type BeforeSend, createBeforeSend, createFileFetch, type SendEdges } from './gateway/index.ts';
import { type Clock, systemClock, systemSleep } from './lib/clock.ts';
import { createHttp, type Http } from './lib/http.ts';
import { createLog, type Log } from './lib/log.ts';
import { createSealer, type Sealer } from './lib/seal.ts';
import { readMasterKey } from './master-key.ts';
import { providerOf } from './relay/registry.ts';
import { type ChannelNotice, type Channels, createChannels } from './services/channels/index.ts';
import { createLedger, type Ledger } from './services/ledger/index.ts';
import { createLogs, type Logs } from './services/logs/index.ts';
import { createPricing, type Pricing } from './services/pricing/index.ts';
import { createHealth, createRouting, type Routing } from './services/routing/index.ts';
import { createSettings, type Settings } from './services/settings/index.ts';
import { createKeyResolver, findStoredToken, type KeyResolver } from './services/tokens/index.ts';
import { changeMarks, inTransaction, migrate, openStore, options, type Store } from './store/index.ts';

/** The parts that both sides of the house, relay and console, stand on. */
export interface Core {
  env: Env;
  clock: Clock;
  log: Log;
  masterKey: Buffer;
  sealer: Sealer;
  http: Http;
  /** Signs calls and exchanges keys for tokens, for callers and for our own questions alike. */
  beforeSend: BeforeSend;
  store: Store;
  settings: Settings;
  pricing: Pricing;
  ledger: Ledger;
  routing: Routing;
  channels: Channels;
  logs: Logs;
  keys: KeyResolver;
  /** Hears of channels that Tollgate switched off or on. Set by who can tell people. */
  announce: (notice: ChannelNotice) => void;
  /**
   * Hears of users who changed, here or in another process: what is remembered of them is old. Set by who remembers.
   */
  userChanged: (userId: number) => void;
}

/** The change mark of the options table. */
export const optionsMark = 'options';

async function openSettings(store: Store, sealer: Sealer, log: Log, clock: Clock): Promise<Settings> {
  return createSettings({
    sealer,
    log,
    clock,
    options: {
      all: () => options.all(store.db),
      put: (rows) =>
        inTransaction(store.db, async (db) => {
          for (const { key, value } of rows) await options.put(db, key, value);
          await changeMarks.mark(db, [optionsMark]);
        }),
    },
  });
}

/** Opens the database and the services on it, in the order of their floors, and ends what a crash left behind. */
export async function openCore(
  env: Env,
  clock: Clock = systemClock,
  edges: Partial<SendEdges> = {},
): Promise<Core> {
  const log = createLog(env.logLevel);
  const masterKey = readMasterKey(env);
  const sealer = createSealer(masterKey);
  const store = await openStore({
    url: env.databaseUrl,
    dataDir: env.dataDir,
    maxConnections: env.databasePool,
    onConnectionError: (error) => log.warn({ err: error }, 'a database connection broke'),
    onCheckpointError: (error) => log.warn({ err: error }, 'a checkpoint of the database failed'),
  });
  await migrate(store);
  const settings = await openSettings(store, sealer, log, clock);
  const ledger = createLedger({ store, log, clock, node: nodeName(env) });
  const recovery = await ledger.recover();
  if (recovery.settled + recovery.released > 0) log.warn({ recovery }, 'ended holds that a crash had left');
  const http = createHttp();
  const core: Core = {
    env,
    clock,
    log,
    masterKey,
    sealer,
    http,
    beforeSend: createBeforeSend({
      http,
      clock,
      sleep: systemSleep,
      fetchFile: createFileFetch({ http, settings, maxBytes: env.maxFileDownloadMb * 1024 * 1024 }),
      ...edges,
    }),
    store,
    settings,
    pricing: createPricing({ settings, log }),
    ledger,
    ...openChannels(store, sealer, clock, log, (notice) => core.announce(notice)),
    keys: createKeyResolver({ find: (hash) => findStoredToken(store.db, hash), clock }),
    announce: () => undefined,
    userChanged: () => undefined,
  };
  await core.routing.reload();
  return core;
}

function openChannels(
  store: Store,
  sealer: Sealer,
  clock: Clock,
  log: Log,
  announce: (notice: ChannelNotice) => void,
): Pick<Core, 'channels' | 'routing' | 'logs'> {
  const channels = createChannels({
    db: store.db,
    sealer,
    types: { defaultBaseUrl: (type) => providerOf(type)?.baseUrl },
    clock,
    log,
    onChange: () => routing.reload(),
    announce,
  });
  const routing = createRouting({
    loadChannels: () => channels.loadAll(),
    random: Math.random,
    health: createHealth(clock),
    log,
  });
  const channelName = (id: number): string => routing.byId(id)?.channel.name ?? '';
  return {
    channels,
    routing,
    logs: createLogs({ db: store.db, reports: store.reports, clock, channelName }),
  };
}

/** Names this process among others on the same database, and again after a restart. */
export const nodeName = (env: Env): string => `${hostname()}:${env.port}:${env.dataDir}`.slice(-64);

/** Ends everything that `openCore` opened; money first, so that what is queued becomes durable. */
export async function closeCore(core: Core): Promise<void> {
  await core.ledger.close();
  await core.http.close();
  await core.store.close();
}

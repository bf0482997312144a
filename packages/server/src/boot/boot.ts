import type { RequestListener, Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type ChangeFollower, followChanges, shareChannelHealth } from './changes.ts';
import { openConsole, openProbe, operatorRoutes } from './upkeep.ts';
import { closeCore, type Core, openCore, type Mails, openMails } from './site.ts';
import { type Money, moneyRoutes, openMoney } from './money.ts';
import { openPeople, type People } from './people.ts';
import { openRelay, type Relay } from './calls.ts';
import { type Cache, openCache } from '../cache/index.ts';
import type { Env } from './env.ts';
import type { Probe } from '../gateway/index.ts';
import { type ClientReader, createClientReader } from '../http/context.ts';
import { callerBySession } from '../http/relay/index.ts';
import type { BackupParts, JobParts } from '../jobs/parts.ts';
import { processJobs } from '../jobs/registry.ts';
import { type JobRunner, startJobs } from '../jobs/runner.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { collectStartGarbage } from '../lib/processes/collect-garbage.ts';
import type { PlainServer } from '@tollgate/http-engine';
import type { Figures } from '../services/site/metrics/index.ts';
import type { CallTraces } from '../services/site/traces/index.ts';
import { BookAudit } from '../services/money/ledger/index.ts';
import { createMargins } from '../services/money/costs/index.ts';
import { noticeExpiries } from '../services/money/grants/index.ts';
import { announceRetiring, createAlarmFinder, warnOfBudgets } from '../services/upkeep/status/index.ts';
import { checkHours } from '../services/calls/metering/index.ts';
import { version } from './version.ts';
import { openMetrics, openTraces, openWatch, type Watch } from './watch.ts';
import { callerNamed } from './server/callers.ts';
import { createRawServer } from './server/raw-server.ts';
import { drainCalls } from './server/drain.ts';
import { inheritedSocket } from './server/inherited-socket.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { backupFolderOf, installationOf } from './installation.ts';
import { listBackups } from '../services/upkeep/backups/index.ts';

const command = fileURLToPath(new URL('../commands/backup.ts', import.meta.url));
const run = promisify(execFile);

/** Parts of the backup job; null if no backups are configured, or the database is on a server. */
export function openBackups(env: Env): BackupParts | null {
  if (env.backupHours === 0 || !installationOf(env)) return null;
  const folder = backupFolderOf(env);
  return {
    everyHours: env.backupHours,
    newest: async () => (await listBackups(folder))[0]?.madeAt,
    async make() {
      const databases = { DATABASE_URL: env.databaseUrl, LOG_SQL_DSN: env.logDatabaseUrl };
      const given = { ...databases, DATA_DIR: env.dataDir, BACKUP_DIR: folder };
      const more = {
        BACKUP_KEEP: String(env.backupKeep),
        BACKUP_WITHOUT_KEY: String(env.backupWithoutKey),
        PATH: process.env['PATH'],
      };
      const { stdout } = await run(process.execPath, [command], { env: { ...given, ...more } });
      return stdout.trim();
    },
  };
}

/** A running Tollgate process. */
export interface RunningSite {
  core: Core;
  /** The cache that the site's processes share. */
  cache: Cache;
  /** The port it listens on; 0 if workers listen. */
  port: number;
  /** The token for setting up the site; null once that is done. */
  setupToken(): string | null;
  isSetUp(): boolean;
  /** Changes of other processes that are applied here. */
  changes: Pick<ChangeFollower, 'seen'>;
  /** Running requests. */
  running(): number;
  /** Load balancers should send no more calls from now on; calls that still arrive are served. */
  leave(): void;
  /**
   * Stops: refuses new connections, lets running requests finish within the drain time, ends and settles the others,
   * and makes everything durable. Safe to call twice.
   */
  close(): Promise<void>;
}

const webRoot = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** Work of the process for workers that listen in its place. */
export interface WithWorkers {
  /** The Unix socket to which they forward requests that are not relay calls. */
  socketPath: string;
  /** The metrics of the workers. */
  figures: () => Promise<readonly Figures[]>;
}

/** Builds every part once and passes it on. Resolves when the site listens: on its port, or through its workers. */
export async function boot(
  env: Env,
  clock: Clock = systemClock,
  workers?: WithWorkers,
): Promise<RunningSite> {
  const core = await openCore(env, clock);
  const clients = createClientReader(env.trustedProxies);
  const cache = await openSharedCache(core);
  const mails = openMails(core);
  const people = await openPeople(core, { version, mails });
  const money = openMoney(core, mails);
  const probe = openProbe(core, () => money.notifier.testsFinished());
  const metrics = await openMetrics(core);
  const traces = await openTraces(core, metrics);
  const relay = openRelay(core, clients, {
    cache,
    metrics,
    traces,
    identifySession: (req, isElement) =>
      callerBySession({ ...guardOf(core, people, clients), tokens: people.tokens }, req, isElement),
    onSettled: money.notifier.afterSettle,
  });
  if (workers || env.redisUrl !== '') await shareChannelHealth(core, cache);
  await relay.house.tasks.recover();
  const watch = await openWatch(core, metrics, relay, workers?.figures);
  const changes = await followChanges(core, people.knownProviders);
  const { server, plain, app } = await openServer(core, people, {
    clients,
    cache,
    money,
    probe,
    relay,
    watch,
    socketPath: workers?.socketPath,
  });
  const ownJobs = processJobs(jobParts({ core, people, money, probe, relay }));
  const jobs = startJobs([...ownJobs, ...changes.jobs], core.log);
  const close = (): Promise<void> => app.close();
  return running({ core, people, relay, server, plain, jobs, changes, close, cache, mails, watch, traces });
}

const openSharedCache = ({ env, clock, log }: Core): Promise<Cache> =>
  openCache({
    redisUrl: env.redisUrl,
    clock,
    onError: (error) => log.warn({ err: error }, 'Redis does not answer; this process counts by itself'),
  });

interface HouseParts {
  core: Core;
  people: People;
  money: Money;
  probe: Probe;
  relay: Relay;
}

/** Dependencies of jobs. */
const jobParts = ({ core, people, money, probe, relay }: HouseParts): JobParts => ({
  ...core,
  ...people,
  ...money,
  probe,
  keyedCalls: relay.keyedCalls,
  keptAnswers: relay.keptAnswers,
  captured: relay.captured,
  storedResponses: relay.storedResponses,
  keptParts: relay.keptParts,
  keptResponses: relay.keptResponses,
  poller: relay.house.poller,
  sales: relay.house.sales,
  audit: new BookAudit(core.store.reports),
  auditTrail: core.audit,
  checkHours: async () => [
    ...(await checkHours({ store: { db: core.store.reports }, clock: core.clock })),
    ...(await core.logHours.check()),
    ...(core.logMover ? await core.logMover.hours.check() : []),
  ],
  findAlarms: createAlarmFinder({
    ...core,
    db: core.store.db,
    margins: createMargins({ reports: core.store.reports, channelName: core.channelName }),
    databaseFile: installationOf(core.env)?.database,
  }),
  announceRetiring: () =>
    announceRetiring({ db: core.store.db, notifier: money.notifier, clock: core.clock }),
  noticeExpiries: () => noticeExpiries({ ...core, db: core.store.db, notifier: money.notifier }),
  warnOfBudgets: () =>
    warnOfBudgets({ db: core.store.db, alarms: core.alarms, notifier: money.notifier, clock: core.clock }),
  backups: openBackups(core.env),
  isAlone: core.store.sqlite !== undefined,
  testMinutes: core.env.channelTestMinutes,
  balanceMinutes: core.env.channelUpdateMinutes,
});

const guardOf = (core: Core, people: People, clients: ClientReader) => ({
  auth: people.auth,
  clients,
  serverAddress: () => core.settings.get('ServerAddress'),
});

interface ServerParts {
  clients: ClientReader;
  cache: Cache;
  money: Money;
  probe: Probe;
  relay: Relay;
  watch: Watch;
  /** An inherited socket to listen on instead of a port. */
  socketPath: string | undefined;
}

/** Opens the server: the relay's listener first, then the console. */
async function openServer(core: Core, people: People, parts: ServerParts) {
  const behind = parts.socketPath === undefined ? (handler: RequestListener) => handler : callerNamed;
  let server: Server | undefined;
  let plain: PlainServer | undefined;
  const app = await openConsole(core, people, {
    clients: parts.clients,
    cache: parts.cache,
    routes: [
      ...operatorRoutes(core, parts.probe, parts.relay.gateway.limits),
      ...moneyRoutes(core, parts.money, people, parts.money),
    ],
    webRoot,
    health: parts.watch.health,
    serverFactory: (handler) => {
      ({ server, plain } = createRawServer(core.env.httpEngine, parts.relay, behind(handler)));
      return server;
    },
  });
  const { port, host } = core.env;
  const fd = inheritedSocket(core.env);
  // If Node is given a socket, it ignores the port.
  await app.listen(
    parts.socketPath === undefined
      ? { port, host, ...(fd !== undefined && { fd }) }
      : { path: parts.socketPath },
  );
  if (!server || !plain) throw new Error('the server was not made');
  collectStartGarbage(() => parts.relay.gateway.running.size > 0);
  return { server, plain, app };
}

interface RunningParts {
  core: Core;
  people: People;
  relay: Relay;
  server: Server;
  plain: PlainServer;
  jobs: JobRunner;
  changes: ChangeFollower;
  close(): Promise<void>;
  cache: Cache;
  mails: Mails;
  watch: Watch;
  traces: CallTraces | undefined;
}

function running(parts: RunningParts): RunningSite {
  const { core, people, relay, server, plain, jobs, cache, mails, watch, traces } = parts;
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    await drainCalls({ server, plain, relay, log: core.log }, core.env.drainSeconds * 1_000);
    await relay.house.poller.close();
    await jobs.stop();
    await parts.changes.close();
    server.closeAllConnections();
    plain.close();
    await parts.close();
    await watch.close();
    await traces?.close();
    await mails.queue.close();
    await cache.close();
    await closeCore(core);
  };

  return {
    core,
    cache,
    port: portOf(server),
    changes: parts.changes,
    setupToken: () => people.setup.token(),
    isSetUp: () => people.setup.isDone(),
    running: () => relay.gateway.running.size,
    leave: () => relay.leave(),
    close: () => (closing ??= close()),
  };
}

/** The port that a server listens on; 0 for a Unix socket. */
function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { type Cache, openCache } from '../../cache/index.ts';
import { createClientReader } from '../../http/context.ts';
import { callerBySession } from '../../http/relay/index.ts';
import { workerJobs } from '../../jobs/registry.ts';
import { type JobRunner, startJobs } from '../../jobs/runner.ts';
import { systemClock } from '../../lib/clock.ts';
import { collectStartGarbage } from '../../lib/processes/collect-garbage.ts';
import { armFaults } from '../../lib/fault-point.ts';
import { ProcessLink } from '../../lib/processes/process-link.ts';
import type { Metrics } from '../../services/site/metrics/index.ts';
import type { CallTraces } from '../../services/site/traces/index.ts';
import { followChanges, shareChannelHealth } from '../changes.ts';
import { closeCore, type Core, openCore, type Mails, openMails } from '../site.ts';
import { type Env, readEnv } from '../env.ts';
import { openMoney } from '../money.ts';
import { openPeople, type People } from '../people.ts';
import { openRelay, type Relay } from '../calls.ts';
import { drainCalls } from '../server/drain.ts';
import { createRawServer, type RawServer } from '../server/raw-server.ts';
import { version } from '../version.ts';
import { openMetrics, openTraces, readingsOf } from '../watch.ts';
import { overChannel } from './channel.ts';
import { createForward } from './forward.ts';
import { asked, type Orders } from './orders.ts';

/** A listening worker. */
interface Working {
  port: number;
  core: Core;
  relay: Relay;
  metrics: Metrics | undefined;
  close(): Promise<void>;
}

/** Runs this process as a worker of the one that started it, until it is asked to stop. */
export function runWorker(): void {
  const link = new ProcessLink(overChannel(process));
  let opening: Promise<Working> | undefined;
  let working: Working | undefined;
  let stopping: Promise<void> | undefined;

  const stop = async (): Promise<void> => {
    try {
      // If it cannot start, it has reported that to the first process.
      await opening?.catch(() => undefined);
      await working?.close();
      process.exit(0);
    } catch (error) {
      process.stderr.write(`A worker could not end in good order: ${String(error)}\n`);
      process.exit(1);
    }
  };
  link.offer(asked.begin, async (orders) => {
    opening = openWorker(readEnv(process.env), orders as Orders, link);
    working = await opening;
    const { core, port } = working;
    process.on('unhandledRejection', (error) => core.log.error({ err: error }, 'unhandled rejection'));
    return port;
  });
  link.offer(asked.figures, () => working?.metrics?.figures(readingsOf(working.relay)));
  link.offer(asked.stop, () => {
    stopping ??= stop();
    return working?.relay.gateway.running.size ?? 0;
  });
  const signalled = (): void => void (stopping ??= stop());
  process.on('SIGINT', signalled);
  process.on('SIGTERM', signalled);
}

async function openWorker(asGiven: Env, orders: Orders, link: ProcessLink): Promise<Working> {
  armFaults(asGiven.faults);
  const env = { ...asGiven, databasePool: orders.databasePool };
  const core = await openCore(env, systemClock, { node: orders.node, first: link });
  const cache = await openCache({
    redisUrl: env.redisUrl,
    clock: core.clock,
    first: link,
    onError: (error) => core.log.warn({ err: error }, 'what processes share does not answer'),
  });
  const parts = await openParts(core, cache);
  const { relay } = parts;
  await relay.house.tasks.recover();
  const forward = createForward(orders.socketPath);
  const changes = await followChanges(core, parts.people.knownProviders);
  const raw = createRawServer(env.httpEngine, relay, forward.listener);
  await listen(raw, orders, env);
  collectStartGarbage(() => relay.gateway.running.size > 0);
  const jobs = startJobs([...workerJobs(core), ...changes.jobs], core.log);
  return {
    port: (raw.server.address() as AddressInfo).port,
    core,
    relay,
    metrics: parts.metrics,
    async close() {
      await endCalls(raw, { core, relay, jobs });
      await changes.close();
      forward.close();
      await parts.traces?.close();
      await parts.mails.queue.close();
      await cache.close();
      await closeCore(core);
    },
  };
}

interface Parts {
  mails: Mails;
  people: People;
  metrics: Metrics | undefined;
  traces: CallTraces | undefined;
  relay: Relay;
}

/** The relay, and the parts that its calls need. */
async function openParts(core: Core, cache: Cache): Promise<Parts> {
  const mails = openMails(core);
  const people = await openPeople(core, { version, mails });
  const { notifier } = openMoney(core, mails);
  const metrics = await openMetrics(core);
  const traces = await openTraces(core, metrics);
  const clients = createClientReader(core.env.trustedProxies);
  const guard = {
    auth: people.auth,
    clients,
    serverAddress: () => core.settings.get('ServerAddress'),
    tokens: people.tokens,
  };
  const relay = openRelay(core, clients, {
    cache,
    metrics,
    traces,
    identifySession: (req, isElement) => callerBySession(guard, req, isElement),
    onSettled: (settled) => notifier.afterSettle(settled),
  });
  await shareChannelHealth(core, cache);
  return { mails, people, metrics, traces, relay };
}

async function listen({ server }: RawServer, { socket }: Orders, { port, host }: Env): Promise<void> {
  // Both are shared through the first process, by Node's cluster module. It identifies a port by the requested
  // number: 0 means the same free port for all workers.
  server.listen(socket === undefined ? { port, host } : { fd: socket });
  await once(server, 'listening');
}

async function endCalls(
  { server, plain }: RawServer,
  { core, relay, jobs }: { core: Core; relay: Relay; jobs: JobRunner },
): Promise<void> {
  await drainCalls({ server, plain, relay, log: core.log }, core.env.drainSeconds * 1_000);
  await relay.house.poller.close();
  await jobs.stop();
  server.closeAllConnections();
  plain.close();
}

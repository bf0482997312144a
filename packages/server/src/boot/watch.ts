import type { AddressInfo } from 'node:net';
import type { Core } from './site.ts';
import type { Relay } from './calls.ts';
import { version } from './version.ts';
import { type HealthDeps, serveMetrics } from '../http/health.ts';
import { systemSleep } from '../lib/clock.ts';
import { providerOf } from '../relay/registry.ts';
import type { Figures, Metrics } from '../services/site/metrics/index.ts';
import type { CallTraces, SpanOutcome } from '../services/site/traces/index.ts';
import { createReadiness } from '../services/upkeep/status/index.ts';

/** Data of this process for operators. */
export interface Watch {
  health: HealthDeps;
  /** The port of the metrics; 0 if they have no separate port. */
  metricsPort: number;
  close(): Promise<void>;
}

/** Metrics; undefined if no route serves them, so that calls do not pay for them. */
export async function openMetrics({ env, routing }: Core): Promise<Metrics | undefined> {
  if (env.metricsToken === '' && env.metricsPort === 0) return undefined;
  const { createMetrics } = await import('../services/site/metrics/index.ts');
  return createMetrics((channelId) => {
    const found = routing.byId(channelId);
    return found ? (providerOf(found.channel.type)?.id ?? '') : '';
  });
}

/** Tracing of calls; undefined if it is off, so that none of it is loaded. */
export async function openTraces(
  core: Pick<Core, 'env' | 'http' | 'log' | 'clock'>,
  metrics: Pick<Metrics, 'spans'> | undefined,
): Promise<CallTraces | undefined> {
  const { env } = core;
  const general = env.otlpEndpoint && `${env.otlpEndpoint.replace(/\/+$/, '')}/v1/traces`;
  const url = env.otlpTracesEndpoint || general;
  if (url === '' || env.otelDisabled || env.tracesExporter === 'none') return undefined;
  const { createTraces } = await import('../services/site/traces/index.ts');
  const deps = {
    ...core,
    sleep: systemSleep,
    provider: (type: number) => providerOf(type)?.id ?? '',
    count: (outcome: SpanOutcome, spans: number) => metrics?.spans(outcome, spans),
    version,
  };
  return createTraces(deps, {
    url,
    protocol: env.otlpProtocol,
    headers: env.otlpHeaders,
    timeoutMs: env.otlpTimeoutMs,
    sampler: env.tracesSampler,
    ratio: env.tracesRatio,
    serviceName: env.otelServiceName,
    resource: env.otelResource,
    capturesContent: env.capturesContent,
    queue: { most: env.spanQueue, batch: env.spanBatch, delayMs: env.spanDelayMs },
  });
}

/** Figures that are read when metrics are requested. */
export const readingsOf = (relay: Relay) => ({
  inFlight: relay.gateway.running.size,
  bodyBytes: relay.bodyBytes(),
});

/** Log rows that wait for their move; undefined if none do, or the database does not answer. */
const waitingLog = ({ logMover }: Pick<Core, 'logMover'>) => logMover?.waiting().catch(() => undefined);

/**
 * Wires the endpoints for machines: health and metrics, together with the metrics that `others` returns
 * for the workers.
 */
export async function openWatch(
  core: Core,
  metrics: Metrics | undefined,
  relay: Relay,
  others?: () => Promise<readonly Figures[]>,
): Promise<Watch> {
  const { env, clock, log, store } = core;
  const print =
    metrics &&
    (async () =>
      metrics.print({ ...readingsOf(relay), waitingLog: await waitingLog(core) }, await others?.()));
  const unready = createReadiness({
    db: store.db,
    ledger: core.ledger,
    clock,
    sleep: systemSleep,
    log,
    isStopping: () => relay.isLeaving(),
  });
  const server =
    print && env.metricsPort > 0
      ? await serveMetrics({ port: env.metricsPort, host: env.metricsHost }, print)
      : undefined;
  return {
    health: {
      unready,
      metrics: print && env.metricsToken !== '' ? { token: env.metricsToken, print } : undefined,
    },
    metricsPort: server ? (server.address() as AddressInfo).port : 0,
    close: () =>
      new Promise((resolve) => (server ? server.close(() => resolve()).closeAllConnections() : resolve())),
  };
}

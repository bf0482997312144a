import type { AnswerHandler, ConnectionBound, Request, Scope, Target } from '@tollgate/http-engine';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { BoundedPool, type BuildConnector, createLimits, endWaiting } from './bounded-pool.ts';
import type { OutboundGuard } from './outbound-guard.ts';
import { asError } from './as-error.ts';

/** Calls to upstreams without a proxy. */
export interface DirectClient {
  /** Starts a call. Throws if the guard forbids the target. */
  dispatch(target: Target, request: Request, handler: AnswerHandler): void;
  close(): void | Promise<void>;
}

interface NodeClientOptions {
  guard: OutboundGuard;
  /** Most running calls to one destination: over HTTP/2 they share connections. */
  bound: ConnectionBound;
}

const connectTimeoutMs = 10_000;
/** After this idle time the system checks that the other side still exists (TCP keep-alive). */
const probeAfterMs = 60_000;
/** Most destinations with open connections; those of the least recently used are closed. */
const maxPools = 500;

/**
 * Calls through undici: HTTP/2 if a TLS upstream offers it, HTTP/1.1 otherwise. The guard checks every connection.
 */
export function createNodeClient({ guard, bound }: NodeClientOptions): DirectClient {
  const limits = createLimits(bound);
  const pools = new LRUCache<string, BoundedPool>({ max: maxPools, dispose: (pool) => pool.retire() });

  const poolFor = (target: Target, scope: Scope, host: string): BoundedPool => {
    // A host header in the call is also the name that the certificate must have.
    const key = `${scope} ${target.origin} ${host}`;
    const known = pools.get(key);
    if (known) return known;
    const options = (build: BuildConnector) => ({
      allowH2: true,
      connect: guardedConnector(build, guard, target, scope),
    });
    const pool = new BoundedPool(target.origin, options, limits);
    pools.set(key, pool);
    return pool;
  };

  return {
    dispatch(target, request, handler) {
      const { method, headers, body, headersTimeoutMs, bodyTimeoutMs, scope } = request;
      const options = {
        path: target.path,
        method,
        headers: { 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
        headersTimeout: headersTimeoutMs,
        bodyTimeout: bodyTimeoutMs,
      };
      poolFor(target, scope, headers['host'] ?? '').start(handler, options);
    },
    async close() {
      endWaiting(limits);
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** Connects like undici, but only to addresses that the guard allows. */
function guardedConnector(
  build: BuildConnector,
  guard: OutboundGuard,
  target: Target,
  scope: Scope,
): buildConnector.connector {
  const place = { host: target.hostname, port: target.port };
  const { lookup } = guard.connection(place, scope);
  const connect = build({
    allowH2: true,
    timeout: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelay: probeAfterMs,
    lookup,
  });
  return (options, done) => {
    try {
      guard.check(place, scope);
    } catch (error) {
      done(asError(error), null);
      return;
    }
    connect(options, done);
  };
}

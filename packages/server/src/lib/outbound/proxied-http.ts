import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import type { AnswerHandler, ConnectionBound, Request, Target } from '@tollgate/http-engine';
import { BoundedPool, createLimits, endWaiting, type PoolLimits } from './bounded-pool.ts';
import type { OutboundGuard } from './outbound-guard.ts';
import { openTunnel, type Hop, proxyCredential, connectToProxy } from './tunnel.ts';
import { asError } from './as-error.ts';

/** Most combinations of proxy and target with open connections; the least recently used is closed. */
const maxPools = 500;

/** Calls through proxies. */
export interface Proxies {
  /**
   * Makes a call through a proxy. Throws ForbiddenAddress if the proxy's address is not allowed for channels, and
   * TypeError if it is not a URL.
   */
  dispatch(proxy: string, target: Target, call: Request, handler: AnswerHandler): void;
  close(): Promise<void>;
}

/** A proxy and its target. */
interface Path {
  pool: BoundedPool;
  /** Set if an http proxy gets the whole call instead of a tunnel: it needs the full address and its password. */
  forwards: Record<string, string> | undefined;
}

interface ProxiesOptions {
  guard: OutboundGuard;
  /** Most running calls through one proxy to one destination. */
  bound: ConnectionBound;
}

/** Opens the client for proxies. The guard checks both ends whenever a connection is opened. */
export function createProxies({ guard, bound }: ProxiesOptions): Proxies {
  const limits = createLimits(bound);
  const paths = new LRUCache<string, Path>({ max: maxPools, dispose: ({ pool }) => pool.retire() });

  const pathTo = (proxy: string, target: Target, { scope }: Request): Path => {
    const key = `${scope} ${proxy} ${target.origin}`;
    const known = paths.get(key);
    if (known) return known;
    const path = openPath({ guard, proxy: new URL(proxy), scope }, target, limits);
    paths.set(key, path);
    return path;
  };

  return {
    dispatch(proxy, target, call, handler) {
      const { pool, forwards } = pathTo(proxy, target, call);
      pool.start(handler, {
        path: forwards ? target.origin + target.path : target.path,
        method: call.method,
        headers: { 'accept-encoding': 'identity', host: target.host, ...forwards, ...call.headers },
        body: call.body ?? null,
        headersTimeout: call.headersTimeoutMs,
        bodyTimeout: call.bodyTimeoutMs,
      });
    },
    async close() {
      endWaiting(limits);
      await Promise.all([...paths.values()].map(({ pool }) => pool.destroy()));
    },
  };
}

function openPath(start: Pick<Hop, 'guard' | 'proxy' | 'scope'>, target: Target, limits: PoolLimits): Path {
  const { proxy } = start;
  const isForwarded = !target.isSecure && /^https?:$/.test(proxy.protocol);
  const place = { host: target.hostname, port: target.port };
  const connect: buildConnector.connector = ({ servername }, done) => {
    const hop = { ...start, place, ...(servername && { secureName: servername }) };
    const reached = isForwarded ? connectToProxy(hop) : openTunnel({ ...hop, isSecure: target.isSecure });
    void report(reached, done);
  };
  return {
    pool: new BoundedPool(isForwarded ? forwardOrigin(proxy) : target.origin, () => ({ connect }), limits),
    forwards: isForwarded ? credentialOf(proxy) : undefined,
  };
}

/** Reports the end of a connection to undici, in its own form. */
async function report(reached: Promise<Socket>, done: buildConnector.Callback): Promise<void> {
  let socket: Socket;
  try {
    socket = await reached;
  } catch (error) {
    done(asError(error), null);
    return;
  }
  done(null, socket);
}

/** The pool's own origin; `connect` decides on the real one. */
const forwardOrigin = (proxy: URL): string => `http://${proxy.host}`;

function credentialOf(proxy: URL): Record<string, string> {
  const credential = proxyCredential(proxy);
  return credential === '' ? {} : { 'proxy-authorization': credential };
}

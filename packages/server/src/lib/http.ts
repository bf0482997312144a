import { Pool, ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici';
import { LRUCache } from 'lru-cache';
import { type AddressScope, checkLiteral, guardedLookup } from './address.ts';

/** What an outbound call carries. Times are in milliseconds; 0 means no limit. */
export interface Outgoing {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
  scope: AddressScope;
  /** http, https, socks5 or socks5h URL; '' for none. */
  proxy?: string;
  /** Until the answer's head. */
  headersTimeoutMs: number;
  /** Of silence while the answer's body comes. */
  bodyTimeoutMs: number;
}

/** Steers a running call: pause and resume are back-pressure, abort ends it. */
export type Controller = Dispatcher.DispatchController;

/** Receives an answer as it comes. */
export interface AnswerHandler {
  onRequestStart(controller: Controller): void;
  onResponseStart(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: Controller, error: Error): void;
}

/** A whole answer, for small calls. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The one outbound client: everything that leaves the house goes through it and its address check. */
export interface Http {
  /** Starts a call and pushes its answer into the handler. Throws ForbiddenAddress or on a malformed URL. */
  dispatch(call: Outgoing, handler: AnswerHandler): void;
  /**
   * Makes a call and gathers the answer, at most `maxBytes` of it. Redirects are answers like any other, never followed.
   * Rejects when the signal is aborted first.
   */
  request(call: Outgoing, maxBytes: number, signal?: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

const keepAlive = { keepAliveTimeout: 30_000, keepAliveMaxTimeout: 600_000 };
/** An upstream that sends more head than this is hostile (faults.md U8). */
const maxHeaderSize = 64 * 1024;
/** Distinct origins or proxies kept open at once; the longest unused is closed. */
const maxPools = 500;

function openDispatcher(origin: string, scope: AddressScope, proxy: string): Dispatcher {
  const connect = { lookup: guardedLookup(scope), timeout: 10_000 };
  if (proxy === '') {
    return new Pool(origin, { connect, pipelining: 1, maxHeaderSize, ...keepAlive, connections: null });
  }
  const url = new URL(proxy);
  if (url.protocol.startsWith('socks5')) {
    return new Socks5ProxyAgent(proxy.replace(/^socks5h:/, 'socks5:'), {
      pipelining: 1,
      maxHeaderSize,
      ...keepAlive,
    });
  }
  return new ProxyAgent({ uri: proxy, pipelining: 1, maxHeaderSize, ...keepAlive });
}

interface Parsed {
  origin: string;
  path: string;
  url: URL;
  /** The scopes this address was found to lie in; a literal address does not move. */
  checked: AddressScope | undefined;
}

/** Answers are read as they come, so they are asked for as they are: a server may compress where nobody says no. */
const plain = { 'accept-encoding': 'identity' };

/** Opens the outbound client. */
export function createHttp(): Http {
  const pools = new LRUCache<string, Dispatcher>({
    max: maxPools,
    dispose: (pool) => void pool.close().catch(() => undefined),
  });
  // Parsing a URL costs more than the rest of a dispatch; channels have few distinct ones.
  const parsed = new LRUCache<string, Parsed>({ max: 2_000 });

  const parse = (text: string): Parsed => {
    const known = parsed.get(text);
    if (known) return known;
    const url = new URL(text);
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new TypeError(`not an http address: ${url.protocol}`);
    const entry: Parsed = { origin: url.origin, path: url.pathname + url.search, url, checked: undefined };
    parsed.set(text, entry);
    return entry;
  };

  const poolFor = (target: Parsed, scope: AddressScope, proxy: string): Dispatcher => {
    const name = proxy === '' ? `${scope} ${target.origin}` : `${scope} via ${proxy}`;
    let pool = pools.get(name);
    if (!pool) {
      pool = openDispatcher(target.origin, scope, proxy);
      pools.set(name, pool);
    }
    return pool;
  };

  const dispatch = (call: Outgoing, handler: AnswerHandler): void => {
    const target = parse(call.url);
    const proxy = call.proxy ?? '';
    if (proxy === '' && target.checked !== call.scope) {
      checkLiteral(target.url, call.scope);
      target.checked = call.scope;
    }
    poolFor(target, call.scope, proxy).dispatch(
      {
        origin: target.origin,
        path: target.path,
        method: call.method,
        headers: { ...plain, ...call.headers },
        body: call.body ?? null,
        headersTimeout: call.headersTimeoutMs,
        bodyTimeout: call.bodyTimeoutMs,
      },
      handler,
    );
  };

  return {
    dispatch,
    request: (call, maxBytes, signal) =>
      new Promise((resolve, reject) => {
        dispatch(call, new Gather({ maxBytes, signal, resolve, reject }));
      }),
    async close() {
      const open = [...pools.values()];
      await Promise.all(open.map((pool) => pool.destroy().catch(() => undefined)));
    },
  };
}

interface GatherOptions {
  maxBytes: number;
  signal: AbortSignal | undefined;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** Collects a small answer. */
class Gather implements AnswerHandler {
  private status = 0;
  private headers: Answer['headers'] = {};
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private readonly options: GatherOptions;
  private controller: Controller | undefined;

  constructor(options: GatherOptions) {
    this.options = options;
  }

  onRequestStart(controller: Controller): void {
    const { signal } = this.options;
    this.controller = controller;
    if (signal?.aborted) this.leave();
    else signal?.addEventListener('abort', this.leave);
  }

  private readonly leave = (): void => this.controller?.abort(new Error('nobody waits for this answer'));

  onResponseStart(_controller: Controller, status: number, headers: Answer['headers']): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.size += chunk.length;
    const { maxBytes } = this.options;
    if (this.size > maxBytes) controller.abort(new Error(`the answer is larger than ${maxBytes} bytes`));
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.options.signal?.removeEventListener('abort', this.leave);
    this.options.resolve({
      status: this.status,
      headers: this.headers,
      body: Buffer.concat(this.chunks, this.size),
    });
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.options.signal?.removeEventListener('abort', this.leave);
    this.options.reject(error);
  }
}

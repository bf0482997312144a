import { LRUCache } from 'lru-cache';
import { type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { type AddressScope, checkLiteral } from './address.ts';
import { Client } from './http1/client.ts';
import { targetOf } from './http1/target.ts';
import type { AnswerHandler, AnswerHeaders, Controller, Request, Target } from './http1/types.ts';

export type { AnswerHandler, Controller } from './http1/types.ts';

/** What an outbound call carries. */
export interface Outgoing extends Request {
  url: string;
  /** http, https, socks5 or socks5h URL; '' for none. */
  proxy?: string;
}

/** A whole answer, for small calls. */
export interface Answer {
  status: number;
  headers: AnswerHeaders;
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

/** What calls through proxies have in common with those of our own client. */
const options = {
  pipelining: 1,
  keepAliveTimeout: 30_000,
  keepAliveMaxTimeout: 600_000,
  maxHeaderSize: 64 * 1024,
};
/** Distinct proxies kept open at once; the longest unused is closed. */
const maxProxies = 500;

function openProxy(proxy: string): Dispatcher {
  const isSocks = proxy.startsWith('socks5');
  if (isSocks) return new Socks5ProxyAgent(proxy.replace(/^socks5h:/, 'socks5:'), options);
  return new ProxyAgent({ uri: proxy, ...options });
}

interface Parsed extends Target {
  url: URL;
  /** The scope this address was found to lie in; a literal address does not move. */
  checked: AddressScope | undefined;
}

function parse(text: string): Parsed {
  const url = new URL(text);
  return { ...targetOf(url), url, checked: undefined };
}

/** Opens the outbound client. */
export function createHttp(): Http {
  const direct = new Client();
  const proxies = new LRUCache<string, Dispatcher>({
    max: maxProxies,
    dispose: (proxy) => void proxy.close().catch(() => undefined),
  });
  // Parsing a URL costs more than the rest of a dispatch; channels have few distinct ones.
  const targets = new LRUCache<string, Parsed>({ max: 2_000 });

  const targetOf = (url: string): Parsed => {
    const known = targets.get(url);
    if (known) return known;
    const target = parse(url);
    targets.set(url, target);
    return target;
  };

  const proxyFor = (address: string): Dispatcher => {
    const known = proxies.get(address);
    if (known) return known;
    const proxy = openProxy(address);
    proxies.set(address, proxy);
    return proxy;
  };

  const dispatch = (call: Outgoing, handler: AnswerHandler): void => {
    const target = targetOf(call.url);
    if (call.proxy) return dispatchThrough(proxyFor(call.proxy), target, call, handler);
    if (target.checked !== call.scope) {
      checkLiteral(target.url, call.scope);
      target.checked = call.scope;
    }
    direct.dispatch(target, call, handler);
  };

  return {
    dispatch,
    request: (call, maxBytes, signal) =>
      new Promise((resolve, reject) => {
        dispatch(call, new Gather({ maxBytes, signal, resolve, reject }));
      }),
    async close() {
      direct.close();
      const open = [...proxies.values()];
      await Promise.all(open.map((proxy) => proxy.destroy().catch(() => undefined)));
    },
  };
}

function dispatchThrough(proxy: Dispatcher, target: Target, call: Outgoing, handler: AnswerHandler): void {
  proxy.dispatch(
    {
      origin: target.origin,
      path: target.path,
      method: call.method,
      headers: { 'accept-encoding': 'identity', ...call.headers },
      body: call.body ?? null,
      headersTimeout: call.headersTimeoutMs,
      bodyTimeout: call.bodyTimeoutMs,
    },
    new Proxied(handler),
  );
}

/** Hears an answer as undici tells it, chunk by chunk, and hands on what came in one turn of the loop as one piece. */
class Proxied implements Dispatcher.DispatchHandler {
  private readonly handler: AnswerHandler;
  private controller: Controller | undefined;
  private arrived: Buffer[] = [];

  constructor(handler: AnswerHandler) {
    this.handler = handler;
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller;
    this.handler.onRequestStart(controller);
  }

  onResponseStart(controller: Controller, status: number, headers: AnswerHeaders): void {
    // Heads before the final one are undici's affair.
    if (status >= 200) this.handler.onResponseStart(controller, status, headers);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.arrived.push(chunk) === 1) process.nextTick(() => this.flush());
  }

  private flush(): void {
    const { arrived, controller } = this;
    if (arrived.length === 0 || !controller) return;
    this.arrived = [];
    this.handler.onResponseData(controller, arrived.length === 1 ? arrived[0]! : Buffer.concat(arrived));
  }

  onResponseEnd(): void {
    this.flush();
    this.handler.onResponseEnd();
  }

  onResponseError(controller: Controller, error: Error): void {
    this.flush();
    this.handler.onResponseError(controller, error);
  }
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

import {
  type AnswerHandler,
  type AnswerHeaders,
  Client,
  type ConnectionBound,
  type Controller,
  type Request,
  type Target,
  parseTarget,
} from '@tollgate/http-engine';
import { LRUCache } from 'lru-cache';
import { DecodedAnswer } from './decoded-answer.ts';
import { createNodeClient, type DirectClient } from './node-client.ts';
import { createGuard, type OutboundGuard } from './outbound-guard.ts';
import { createProxies } from './proxied-http.ts';

export { type AnswerHandler, type Controller, NoFreeConnection } from '@tollgate/http-engine';

/** The options of an outbound call. */
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

/** The one outbound client: all outgoing calls use it and its address check. */
export interface Http {
  /**
   * Starts a call and passes its answer to the handler, decompressed if it is compressed. Throws ForbiddenAddress, or
   * an error for an invalid URL. A call without a free connection is queued, and fails with NoFreeConnection if that
   * takes too long.
   */
  dispatch(call: Outgoing, handler: AnswerHandler): void;
  /**
   * Makes a call and collects the answer, at most `maxBytes` of it. Redirects are answers like any other, never
   * followed. Rejects if the signal is aborted first.
   */
  request(call: Outgoing, maxBytes: number, signal?: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * The HTTP implementation. `lean`: our own HTTP/1.1 (`@tollgate/http-engine`); `node`: Node's server and undici, with
 * HTTP/2 if an upstream offers it.
 */
export type HttpEngine = 'lean' | 'node';

interface HttpOptions {
  engine?: HttpEngine;
  bound?: ConnectionBound;
}

/** For tools and tests; the server reads its own from the environment. */
const usualBound: ConnectionBound = { connections: 4096, waitMs: 2_000 };

/** Opens the outbound client. */
export function createHttp(
  guard: OutboundGuard = createGuard(),
  { engine = 'lean', bound = usualBound }: HttpOptions = {},
): Http {
  const options = { guard, bound };
  const direct: DirectClient = engine === 'lean' ? new Client(options) : createNodeClient(options);
  const proxies = createProxies(options);
  // A channel has few addresses, and parsing and checking one each time takes 3 % of a small call. The resolved
  // addresses are checked for each connection.
  const ofChannels = new LRUCache<string, Target>({ max: 1_000 });
  const allowedTarget = ({ url, scope }: Outgoing): Target => {
    const known = scope === 'operator' ? ofChannels.get(url) : undefined;
    if (known) return known;
    const target = parseTarget(new URL(url));
    guard.check({ host: target.hostname, port: target.port }, scope);
    if (scope === 'operator') ofChannels.set(url, target);
    return target;
  };
  const dispatch = (call: Outgoing, handler: AnswerHandler): void => {
    const target = allowedTarget(call);
    const decoded = new DecodedAnswer(handler);
    if (call.proxy) proxies.dispatch(call.proxy, target, call, decoded);
    else direct.dispatch(target, call, decoded);
  };

  return {
    dispatch,
    request: (call, maxBytes, signal) =>
      new Promise((resolve, reject) => {
        dispatch(call, new Gather({ maxBytes, signal, resolve, reject }));
      }),
    async close() {
      await direct.close();
      await proxies.close();
    },
  };
}

interface GatherOptions {
  maxBytes: number;
  signal: AbortSignal | undefined;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** An answer has more bytes than its caller accepts. */
export class AnswerTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the answer is larger than ${maxBytes} bytes`);
    this.name = 'AnswerTooLarge';
  }
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
    if (this.size > maxBytes) controller.abort(new AnswerTooLarge(maxBytes));
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

import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Call } from './call.ts';
import type { Connection } from './connection.ts';
import { Deadlines } from '../deadlines.ts';
import type { ConnectGuard } from '../guard.ts';
import { Pool } from './pool.ts';
import { readBytes } from './read-into.ts';
import { writeRequest } from './request-head.ts';
import { lineName } from './target.ts';
import type { AnswerHandler, Request, Target } from './types.ts';
import type { ConnectionBound, Waiter } from './waiting-line.ts';

/** A call that is sent at the end of this turn. */
interface PendingCall {
  call: Call;
  pool: Pool;
}

interface ClientOptions {
  maxOrigins?: number;
  guard: ConnectGuard;
  bound: ConnectionBound;
}

/** Most origins with kept connections; those of the least recently used are closed. */
const maxPools = 500;

/**
 * Calls over HTTP/1.1, each on a separate connection while it runs. The guard checks every connection. The caller
 * should check an IP address first; otherwise the call fails when it connects.
 */
export class Client {
  private readonly deadlines = new Deadlines<Connection>();
  private readonly readBuffer = Buffer.allocUnsafeSlow(readBytes);
  private readonly pools: LRUCache<string, Pool>;
  /** Calls that were made in this turn of the event loop. */
  private pendingCalls: PendingCall[] = [];
  private isClosed = false;
  private readonly guard: ConnectGuard;
  private readonly bound: ConnectionBound;
  private readonly waiting = new Deadlines<Waiter<Call>>();

  /** Keeps the connections to `maxOrigins` origins, to each as many as `bound` allows. */
  constructor({ maxOrigins = maxPools, guard, bound }: ClientOptions) {
    this.guard = guard;
    this.bound = bound;
    this.pools = new LRUCache({ max: maxOrigins, dispose: (pool) => pool.retire() });
  }

  /**
   * Makes a call. Throws TypeError if a header cannot be sent. A call without a connection waits for its turn, and
   * fails with NoFreeConnection if that takes too long. The calls of one turn of the event loop are sent together at
   * its end: an upstream that is scheduled for the first call still runs for the others, which makes sending under load
   * much cheaper (docs/decisions/0009). Everything that arrived in this turn, such as the close of an idle connection,
   * has then been handled.
   */
  dispatch(target: Target, request: Request, handler: AnswerHandler): void {
    const written = writeRequest(request, target);
    const { headersTimeoutMs, bodyTimeoutMs } = request;
    const call = new Call(written, { headersTimeoutMs, bodyTimeoutMs }, handler);
    call.begin();
    if (this.isClosed) call.abort(closed());
    if (call.isOver) return;
    if (this.pendingCalls.length === 0) setImmediate(() => this.sendPending());
    this.pendingCalls.push({ call, pool: this.poolFor(target, request, written.host) });
  }

  private sendPending(): void {
    const { pendingCalls } = this;
    this.pendingCalls = [];
    for (const { call, pool } of pendingCalls) {
      if (this.isClosed) call.abort(closed());
      else if (!call.isOver) pool.send(call);
    }
  }

  private poolFor(target: Target, { scope }: Request, host: string): Pool {
    // A call's own host header is also the name that the certificate must have.
    const secureName = target.isSecure ? nameIn(host) || target.hostname : undefined;
    // Created once for a target: a new string would have to be hashed again.
    const key = host === '' ? target.lines[scope] : lineName(scope, target.origin, secureName);
    const known = this.pools.get(key);
    if (known) return known;
    const { hostname, port } = target;
    const pool = new Pool({
      endpoint: { hostname, port, secureName, guard: this.guard, scope },
      deadlines: this.deadlines,
      readBuffer: this.readBuffer,
      bound: this.bound,
      waiting: this.waiting,
    });
    this.pools.set(key, pool);
    return pool;
  }

  /** Closes every connection; running calls fail. */
  close(): void {
    this.isClosed = true;
    this.sendPending();
    this.waiting.forEach(({ item }) => item.abort(closed()));
    this.deadlines.forEach((connection) => connection.close(closed()));
  }
}

const closed = (): Error => new Error('the client is closed');

/** The name in a `host` header; '' for none, and for an address. */
function nameIn(host: string): string {
  const name = host.replace(/:\d*$/, '');
  return name.startsWith('[') || isIP(name) !== 0 ? '' : name;
}

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

/** A call on its way to its connection. */
interface Departure {
  call: Call;
  pool: Pool;
}

interface ClientOptions {
  places?: number;
  guard: ConnectGuard;
  bound: ConnectionBound;
}

/** Distinct places whose connections are kept; those of the longest unused are closed. */
const maxPools = 500;

/**
 * Calls over HTTP/1.1, each on a connection of its own while it lasts. The guard judges every connection; an address
 * that is given as a number is for the caller to check before, or `dispatch` fails where it connects.
 */
export class Client {
  private readonly deadlines = new Deadlines<Connection>();
  private readonly readBuffer = Buffer.allocUnsafeSlow(readBytes);
  private readonly pools: LRUCache<string, Pool>;
  /** Calls that were made in this turn of the event loop. */
  private leaving: Departure[] = [];
  private isClosed = false;
  private readonly guard: ConnectGuard;
  private readonly bound: ConnectionBound;
  private readonly waiting = new Deadlines<Waiter<Call>>();

  /** Keeps the connections to so many `places`, to each as many as `bound` says. */
  constructor({ places = maxPools, guard, bound }: ClientOptions) {
    this.guard = guard;
    this.bound = bound;
    this.pools = new LRUCache({ max: places, dispose: (pool) => pool.retire() });
  }

  /**
   * Makes a call. Throws TypeError where a header cannot be sent. A call for which there is no connection waits for its
   * turn, and fails with NoFreeConnection when that takes too long. The calls of one turn of the event loop leave
   * together at its end: an upstream that is woken for the first of them is still awake for the others, which makes
   * sending under load a good deal cheaper (docs/decisions/0009), and whatever arrived with this turn, a goodbye of an
   * idle connection too, has been heard by then.
   */
  dispatch(target: Target, request: Request, handler: AnswerHandler): void {
    const written = writeRequest(request, target);
    const { headersTimeoutMs, bodyTimeoutMs } = request;
    const call = new Call(written, { headersTimeoutMs, bodyTimeoutMs }, handler);
    call.begin();
    if (this.isClosed) call.abort(closed());
    if (call.isOver) return;
    if (this.leaving.length === 0) setImmediate(() => this.depart());
    this.leaving.push({ call, pool: this.poolFor(target, request, written.host) });
  }

  private depart(): void {
    const { leaving } = this;
    this.leaving = [];
    for (const { call, pool } of leaving) {
      if (this.isClosed) call.abort(closed());
      else if (!call.isOver) pool.send(call);
    }
  }

  private poolFor(target: Target, { scope }: Request, host: string): Pool {
    // A host header of the call's own is also the name that the certificate must have.
    const secureName = target.isSecure ? nameIn(host) || target.hostname : undefined;
    // Written once for a target: a name that is made anew must be hashed anew.
    const key = host === '' ? target.lines[scope] : lineName(scope, target.origin, secureName);
    const known = this.pools.get(key);
    if (known) return known;
    const { hostname, port } = target;
    const pool = new Pool({
      place: { hostname, port, secureName, guard: this.guard, scope },
      deadlines: this.deadlines,
      readBuffer: this.readBuffer,
      bound: this.bound,
      waiting: this.waiting,
    });
    this.pools.set(key, pool);
    return pool;
  }

  /** Ends every connection; calls under way fail. */
  close(): void {
    this.isClosed = true;
    this.depart();
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

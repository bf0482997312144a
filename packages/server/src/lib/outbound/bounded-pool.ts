import {
  type AnswerHandler,
  type ConnectionBound,
  Deadlines,
  type Waiter,
  WaitingLine,
} from '@tollgate/http-engine';
import type * as undici from 'undici';
import { UndiciCall } from './undici-call.ts';

/** The options with which undici creates connectors. */
export type BuildConnector = typeof undici.buildConnector;

type OptionsWith = (buildConnector: BuildConnector) => undici.Pool.Options;

/** The queued calls of several pools. */
type WaitingCalls = Deadlines<Waiter<UndiciCall>>;

/** The state shared by the pools of one client. */
export interface PoolLimits {
  bound: ConnectionBound;
  waiting: WaitingCalls;
}

/** The queues of a client with such a limit. */
export const createLimits = (bound: ConnectionBound): PoolLimits => ({ bound, waiting: new Deadlines() });

/** Fails every queued call, because the client is closed. */
export function endWaiting({ waiting }: PoolLimits): void {
  waiting.forEach(({ item }) => item.abort(new Error('the client is closed')));
}

/**
 * Undici's pool for one destination, with a limit of running calls. Undici itself would queue the others without a
 * limit.
 */
export class BoundedPool {
  private readonly pool: Promise<undici.Pool>;
  private readonly bound: ConnectionBound;
  private readonly line: WaitingLine<UndiciCall>;
  private underWay = 0;
  private isServing = false;
  private isRetired = false;

  constructor(origin: string, optionsWith: OptionsWith, { bound, waiting }: PoolLimits) {
    this.pool = openPool(origin, optionsWith, bound.connections);
    // Each call is notified.
    this.pool.catch(() => undefined);
    this.bound = bound;
    this.line = new WaitingLine(bound, waiting);
  }

  /** Makes a call when it is its turn, unless the handler aborts it at once. */
  start(handler: AnswerHandler, options: undici.Dispatcher.DispatchOptions): void {
    const call = new UndiciCall(handler, options, () => this.ended());
    call.begin();
    if (call.isOver) return;
    if (this.line.length === 0 && this.hasRoom()) this.send(call);
    else call.waiter = this.line.add(call);
  }

  private hasRoom(): boolean {
    return this.underWay < this.bound.connections;
  }

  private send(call: UndiciCall): void {
    this.underWay += 1;
    this.pool.then(
      (pool) => call.send(pool),
      (error: Error) => {
        call.abort(error);
        this.ended();
      },
    );
  }

  /** The next one starts in a later turn, because undici is still processing the one that ended. */
  private ended(): void {
    this.underWay -= 1;
    if (this.isServing || this.line.length === 0) return;
    this.isServing = true;
    setImmediate(() => {
      this.isServing = false;
      this.serve();
    });
  }

  private serve(): void {
    while (this.line.length > 0 && this.hasRoom()) this.send(this.line.take()!);
    if (this.isRetired && this.line.length === 0) void this.withPool((pool) => pool.close());
  }

  /** No new calls: idle connections are closed now, the others when their calls and the queue are done. */
  retire(): void {
    this.isRetired = true;
    this.serve();
  }

  private async withPool(end: (pool: undici.Pool) => Promise<void>): Promise<void> {
    await this.pool.then(end).catch(() => undefined);
  }

  /** Closes every connection; running calls fail. */
  async destroy(): Promise<void> {
    await this.withPool((pool) => pool.destroy());
  }
}

/** Undici is loaded with the first pool: most installations do not need it, and it takes 6 MB. */
async function openPool(origin: string, optionsWith: OptionsWith, connections: number): Promise<undici.Pool> {
  const { Pool, buildConnector } = await import('undici');
  return new Pool(origin, {
    pipelining: 1,
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 600_000,
    maxHeaderSize: 64 * 1024,
    ...optionsWith(buildConnector),
    connections,
  });
}

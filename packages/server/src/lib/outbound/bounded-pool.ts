import {
  type AnswerHandler,
  type ConnectionBound,
  Deadlines,
  type Waiter,
  WaitingLine,
} from '@tollgate/http-engine';
import type * as undici from 'undici';
import { UndiciCall } from './undici-call.ts';

/** What undici makes connectors with. */
export type BuildConnector = typeof undici.buildConnector;

type OptionsWith = (buildConnector: BuildConnector) => undici.Pool.Options;

/** The calls of several pools that wait for their turn. */
export type WaitingCalls = Deadlines<Waiter<UndiciCall>>;

/** What the pools of one client share. */
export interface PoolLimits {
  bound: ConnectionBound;
  waiting: WaitingCalls;
}

/** The lines of a client that is made with such a bound. */
export const createLimits = (bound: ConnectionBound): PoolLimits => ({ bound, waiting: new Deadlines() });

/** Fails every call that waits, because the client is closed. */
export function endWaiting({ waiting }: PoolLimits): void {
  waiting.forEach(({ item }) => item.abort(new Error('the client is closed')));
}

/** Undici's pool for one place, with so many calls under way at most. Undici itself lets the others wait without end. */
export class BoundedPool {
  private readonly pool: Promise<undici.Pool>;
  private readonly bound: ConnectionBound;
  private readonly line: WaitingLine<UndiciCall>;
  private underWay = 0;
  private isServing = false;
  private isRetired = false;

  constructor(origin: string, optionsWith: OptionsWith, { bound, waiting }: PoolLimits) {
    this.pool = openPool(origin, optionsWith, bound.connections);
    // Each call hears of it.
    this.pool.catch(() => undefined);
    this.bound = bound;
    this.line = new WaitingLine(bound, waiting);
  }

  /** Makes a call, in its turn, unless the handler aborts it at once. */
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

  /** The next one goes later, because undici is still at work with the one that ended. */
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

  /** No new calls: idle connections go now, the others when their calls and those in the line are done. */
  retire(): void {
    this.isRetired = true;
    this.serve();
  }

  private async withPool(end: (pool: undici.Pool) => Promise<void>): Promise<void> {
    await this.pool.then(end).catch(() => undefined);
  }

  /** Ends every connection; calls under way fail. */
  async destroy(): Promise<void> {
    await this.withPool((pool) => pool.destroy());
  }
}

/** Undici comes with the first pool: most houses call without it, and it takes 6 MB. */
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

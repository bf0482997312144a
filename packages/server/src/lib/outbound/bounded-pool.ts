import {
  type AnswerHandler,
  type ConnectionBound,
  Deadlines,
  type Waiter,
  WaitingLine,
} from '@tollgate/http-engine';
import { type Dispatcher, Pool } from 'undici';
import { UndiciCall } from './undici-call.ts';

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
  private readonly pool: Pool;
  private readonly bound: ConnectionBound;
  private readonly line: WaitingLine<UndiciCall>;
  private underWay = 0;
  private isServing = false;
  private isRetired = false;

  constructor(origin: string, options: Pool.Options, { bound, waiting }: PoolLimits) {
    this.pool = new Pool(origin, {
      pipelining: 1,
      keepAliveTimeout: 30_000,
      keepAliveMaxTimeout: 600_000,
      maxHeaderSize: 64 * 1024,
      ...options,
      connections: bound.connections,
    });
    this.bound = bound;
    this.line = new WaitingLine(bound, waiting);
  }

  /** Makes a call, in its turn, unless the handler aborts it at once. */
  start(handler: AnswerHandler, options: Dispatcher.DispatchOptions): void {
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
    call.send(this.pool);
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
    if (this.isRetired && this.line.length === 0) void this.pool.close().catch(() => undefined);
  }

  /** No new calls: idle connections go now, the others when their calls and those in the line are done. */
  retire(): void {
    this.isRetired = true;
    this.serve();
  }

  /** Ends every connection; calls under way fail. */
  async destroy(): Promise<void> {
    await this.pool.destroy().catch(() => undefined);
  }
}

import type { ReserveOp } from '../plan/ops.ts';
import { type Batch, check } from './batch.ts';

/** A granted hold that may not be in the database yet. */
interface EarlyHold {
  readonly op: ReserveOp;
  /** Resolves after the decision on the rows; rejects if the hold was refused without them. */
  readonly granted: Promise<void>;
  /** Granted quota units, and tokens. */
  readonly amount: number;
  readonly tokens: number;
}

/** Holds that were granted before they are written, and the settlements that wait for them. */
export class EarlyHolds {
  private readonly holds = new Map<string, EarlyHold>();
  private readonly settling = new Set<Promise<unknown>>();

  add(op: ReserveOp, batch: Batch): void {
    this.holds.set(op.requestId, {
      op,
      granted: batch.granted.promise,
      amount: op.amount,
      tokens: op.tokens,
    });
  }

  has(requestId: string): boolean {
    return this.holds.has(requestId);
  }

  /** The request of a hold that is not on the rows yet. */
  requestOf(requestId: string): ReserveOp | undefined {
    return this.holds.get(requestId)?.op;
  }

  /** Ends an early hold that was written or returned, and returns it; undefined for other holds. */
  end(requestId: string): EarlyHold | undefined {
    const hold = this.holds.get(requestId);
    this.holds.delete(requestId);
    return hold;
  }

  /** Runs `work` when the hold is in its row; rejects with the error of the hold if it fails. */
  async after<T>(requestId: string, work: () => Promise<T>): Promise<T> {
    const hold = this.holds.get(requestId);
    const done = hold
      ? hold.granted.then(() => {
          check(hold.op);
          return work();
        })
      : work();
    this.settling.add(done);
    try {
      return await done;
    } finally {
      this.settling.delete(done);
    }
  }

  /** Waits until all present work has ended, with or without success. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.settling);
  }
}

import { type Changes, newChanges } from '../plan/books.ts';
import type { Op, ReserveOp, SettleOp } from '../plan/ops.ts';
import { LedgerUnavailable, type Reservation, type Settled, UnknownHold } from '../plan/types.ts';

/** Like `Promise.withResolvers`, but an unhandled rejection does not end the process. */
export function handledResolvers(): PromiseWithResolvers<void> {
  const resolvers = Promise.withResolvers<void>();
  resolvers.promise.catch(() => undefined);
  return resolvers;
}

/** Result of a step without a batch. A rejection may be unhandled. */
export function neverWritten(): Promise<void> {
  const rejected = Promise.reject<void>(new LedgerUnavailable());
  rejected.catch(() => undefined);
  return rejected;
}

/** Operations that are committed together, their changes, and the callers that wait for them. */
export interface Batch {
  ops: Op[];
  changes: Changes;
  /** A caller waits for the whole batch: no hold may be left out. */
  isUrgent: boolean;
  /**
   * New holds wait for this, and so do settlements of unwritten holds. It rejects soon if the database is unavailable.
   * Later operations of the batch then get another promise.
   */
  granted: PromiseWithResolvers<void>;
  /** Settlements and releases wait for this. It rejects late, and they are booked nevertheless. */
  readonly settled: PromiseWithResolvers<void>;
  /** Resolves when the batch is durable, however long that takes. */
  readonly written: PromiseWithResolvers<void>;
}

export const newBatch = (): Batch => ({
  ops: [],
  changes: newChanges(),
  isUrgent: false,
  granted: handledResolvers(),
  settled: handledResolvers(),
  written: handledResolvers(),
});

/** Resolves all promises of a batch: it is durable. */
export function acknowledge(batch: Batch): void {
  batch.granted.resolve();
  batch.settled.resolve();
  batch.written.resolve();
}

/** Rejects all promises of a batch: this process will never write it. */
export function abandonBatch(batch: Batch, error: Error): void {
  batch.granted.reject(error);
  batch.settled.reject(error);
  batch.written.reject(error);
}

/** Throws the error of one operation of a written batch. */
export function check(op: Op): void {
  if (op.error) throw op.error;
}

/** Result of a settlement after its batch is durable. */
export function settledBy(op: SettleOp): Settled {
  check(op);
  if (!op.result) throw new UnknownHold(op.requestId);
  return op.result;
}

/** A hold taken in memory; only callers that need its durability wait for it. */
export class LedgerReservation implements Reservation {
  readonly amount: number;
  readonly tokens: number;
  private readonly written: Promise<void>;
  private readonly op: ReserveOp;

  constructor(batch: Batch, op: ReserveOp) {
    op.announced = true;
    this.amount = op.amount;
    this.tokens = op.tokens;
    this.written = batch.granted.promise;
    this.op = op;
  }

  get durable(): Promise<void> {
    return durableWith(this.written, this.op);
  }
}

/** A hold that was left out of a batch is durable with a later one. */
function durableWith(written: Promise<void>, op: ReserveOp): Promise<void> {
  return written.then(() => {
    const { later } = op;
    return later === undefined || later === written ? check(op) : durableWith(later, op);
  });
}

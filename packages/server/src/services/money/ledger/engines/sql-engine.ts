import { faultPoint } from '../../../../lib/fault-point.ts';
import { timeoutAfterReads } from '../../../../lib/processes/timeout-after-reads.ts';
import type { Store } from '../../../../store/index.ts';
import {
  assertAmount,
  extendOp,
  markOp,
  type Op,
  type Payer,
  payerOf,
  releaseOp,
  type ReserveOp,
  reserveOp,
  type SettleRemarks,
  settleOp,
} from '../plan/ops.ts';
import {
  abandonBatch,
  acknowledge,
  type Batch,
  check,
  LedgerReservation,
  neverWritten,
  newBatch,
  settledBy,
  handledResolvers,
} from './batch.ts';
import { EarlyHolds } from './early-holds.ts';
import { type Engine, type EngineDeps, flushBeforeClose, type Touched, Outage } from './engine.ts';
import { SqlWriter } from './sql-writer.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type Reservation,
  type ReserveRequest,
  type Settled,
  type Settlement,
} from '../plan/types.ts';
import { withTimeout } from './with-timeout.ts';

const durableAlready = Promise.resolve();

/**
 * The ledger on a database server. Waiting operations become one transaction that locks their accounts and tokens,
 * plans on the locked rows and writes each row once. One transaction of a process runs at a time; later operations
 * form the next. A transaction with an unknown result is repeated with the same ids.
 *
 * A payer with a large balance does not wait: the hold is granted at once and written afterwards, and the rows decide
 * before the first byte is sent (docs/decisions/0028). Its settlement is in a later transaction, so a hold that is
 * refused late has no charge.
 */
export class SqlEngine implements Engine {
  private readonly deps: EngineDeps;
  private readonly writer: SqlWriter;
  private readonly outage: Outage;
  /** Payers of the holds of this process. */
  private readonly payers = new Map<string, Payer>();
  private readonly early = new EarlyHolds();
  private formingBatch = newBatch();
  private writing: Batch | undefined;
  /** True while a transaction hangs for longer than a new hold may wait. */
  private isStalled = false;
  /** True once waiting settlements were rejected for taking too long; those that join later are also rejected. */
  private hasRejectedSettlements = false;
  /** Holds that were refused during the outage. If the database has written one of them, it is released. */
  private readonly refused = new WeakSet<ReserveOp>();
  private stopped: Error | undefined;

  /** `writer` is an argument so that tests can break the connection at a critical point. */
  constructor(store: Store, deps: EngineDeps, writer = new SqlWriter(store, deps)) {
    this.deps = deps;
    this.writer = writer;
    this.outage = new Outage(deps.log, deps.settings);
  }

  reserve(request: ReserveRequest): Reservation | Promise<Reservation> {
    assertAmount(request.amount, request.upTo, request.tokens, request.upToTokens);
    this.assertTaking();
    const { requestId } = request;
    // A repeated request already has its hold, or its refusal, in a transaction.
    const at = this.seconds();
    const granted = this.payers.has(requestId) ? undefined : this.writer.seen.earlyAmounts(request, at);
    const op = reserveOp(request, at, this.deps.node);
    const batch = this.join(op);
    // Registered as ours before its row is visible, so that recovery never treats it as the hold of a dead process.
    this.payers.set(requestId, payerOf(request));
    if (granted === undefined) return this.granted(op, batch);
    op.amount = granted.amount;
    op.tokens = granted.tokens;
    this.early.add(op, batch);
    this.writer.seen.reserveUnwritten(request, granted);
    return new LedgerReservation(batch, op);
  }

  private async granted(op: ReserveOp, batch: Batch): Promise<Reservation> {
    await batch.granted.promise;
    check(op);
    return { amount: op.amount, tokens: op.tokens, durable: durableAlready };
  }

  async extend(requestId: string, more: number, moreTokens = 0): Promise<boolean> {
    assertAmount(more, moreTokens);
    this.assertTaking();
    const early = this.early.requestOf(requestId);
    const op = extendOp(requestId, [more, moreTokens], this.seconds(), this.payers.get(requestId));
    await this.join(op).granted.promise;
    // It is not lost but was refused on the rows: the free amount was too small.
    if (early?.error instanceof InsufficientQuota) return false;
    check(op);
    return op.granted;
  }

  endDeferral(): void {
    // Nothing is deferred here: a hold is in the next transaction.
  }

  mark(requestId: string, progress: number, request?: string, tokens?: number): Promise<void> {
    assertAmount(progress, tokens);
    const payer = this.payers.get(requestId);
    if (!payer) return durableAlready;
    if (this.stopped || this.waiting() >= this.deps.settings.maxQueue) return neverWritten();
    return this.join(markOp(requestId, progress, payer, { request, tokens })).written.promise;
  }

  async settle(settlement: Settlement, remarks?: SettleRemarks): Promise<Settled> {
    assertAmount(settlement.amount, settlement.tokens);
    const { requestId } = settlement;
    if (!this.early.has(requestId)) return this.settleNow(settlement, remarks);
    return this.early.after(requestId, () => this.settleNow(settlement, remarks));
  }

  private async settleNow(settlement: Settlement, remarks: SettleRemarks | undefined): Promise<Settled> {
    const payer = this.payers.get(settlement.requestId);
    const op = settleOp(settlement, this.seconds(), payer, remarks);
    const batch = this.join(op);
    faultPoint('settlement-queued');
    await batch.settled.promise;
    return settledBy(op);
  }

  /** Waits as long as a new hold does: the call has failed, and its caller should not wait longer. */
  async release(requestId: string): Promise<void> {
    const op = releaseOp(requestId, this.payers.get(requestId));
    await withTimeout(this.join(op).settled.promise, this.deps.settings.reserveWaitMs);
    check(op);
  }

  async flush(): Promise<void> {
    await this.flushQueued();
    await this.early.ended();
    // A waiting settlement may have been rejected before it is written.
    await this.flushQueued();
  }

  private async flushQueued(): Promise<void> {
    const formingBatch = this.formingBatch;
    await this.writing?.written.promise;
    if (formingBatch.ops.length > 0) await formingBatch.written.promise;
  }

  forget(touched: Touched): void {
    this.writer.seen.forget(touched);
  }

  get isRefusing(): boolean {
    return this.outage.refusing || this.isStalled;
  }

  accountOf(requestId: string): number | undefined {
    return this.payers.get(requestId)?.account_id;
  }

  async close(): Promise<void> {
    await flushBeforeClose(this.flush(), this.deps);
    this.abandon();
  }

  abandon(): void {
    const error = new LedgerUnavailable(new Error('the ledger is closed'));
    this.stopped ??= error;
    this.outage.stop();
    abandonBatch(this.formingBatch, error);
    if (this.writing) abandonBatch(this.writing, error);
  }

  private seconds(): number {
    return Math.floor(this.deps.clock() / 1000);
  }

  private waiting(): number {
    return this.formingBatch.ops.length + (this.writing?.ops.length ?? 0);
  }

  private assertTaking(): void {
    if (this.isRefusing) throw new LedgerUnavailable();
  }

  private join(op: Op): Batch {
    if (this.stopped) throw this.stopped;
    if (this.waiting() >= this.deps.settings.maxQueue) throw new LedgerUnavailable();
    const batch = this.formingBatch;
    batch.ops.push(op);
    if (batch.ops.length === 1 && !this.writing) setImmediate(() => void this.work());
    return batch;
  }

  /** Writes batches until none is left. */
  private async work(): Promise<void> {
    if (this.writing) return;
    while (!this.stopped && this.formingBatch.ops.length > 0) {
      const batch = this.formingBatch;
      this.formingBatch = newBatch();
      this.writing = batch;
      const stopWatching = this.watchTransaction();
      for (let start = 0; start < batch.ops.length && !this.stopped; start += this.deps.settings.maxBatch) {
        await this.write(batch.ops.slice(start, start + this.deps.settings.maxBatch));
      }
      stopWatching();
      this.writing = undefined;
      if (this.hasRejectedSettlements) this.resume();
      this.endEarly(batch);
      // A stopped engine has rejected all of them already; resolving them has no effect.
      acknowledge(batch);
    }
  }

  /** A transaction may hang on a foreign lock without any error: waiting callers are still rejected in time. */
  private watchTransaction(): () => void {
    const { reserveWaitMs, settleWaitMs } = this.deps.settings;
    const refuse = timeoutAfterReads(reserveWaitMs, () => {
      this.isStalled = true;
      this.refuseNewMoney();
    });
    const rejectSettlements = timeoutAfterReads(settleWaitMs, () => this.rejectSettlements());
    return () => {
      refuse();
      rejectSettlements();
      this.isStalled = false;
    };
  }

  private resume(): void {
    this.hasRejectedSettlements = false;
    // New operations do not wait for an outage that has ended; joined ones are written next.
    if (this.formingBatch.ops.length === 0) this.formingBatch = newBatch();
  }

  private rejectSettlements(): void {
    this.hasRejectedSettlements = true;
    this.writing?.settled.reject(new LedgerUnavailable());
    this.formingBatch.settled.reject(new LedgerUnavailable());
  }

  /** Retries until the database accepts these operations; never throws. */
  private async write(ops: readonly Op[]): Promise<void> {
    for (;;) {
      try {
        await this.writer.write(ops);
        this.notePayers(ops);
        this.outage.end();
        return;
      } catch (error) {
        if (this.stopped) return;
        await this.pause(error);
        if (this.stopped) return;
      }
    }
  }

  /** Records the windows that count holds, and removes the payers of requests without holds. */
  private notePayers(ops: readonly Op[]): void {
    for (const op of ops) {
      if ((op.kind === 'reserve' || op.kind === 'extend') && op.budgets !== '') {
        const payer = this.payers.get(op.requestId);
        if (payer) payer.budgets = op.budgets;
      }
      const ended = op.kind === 'settle' || op.kind === 'release';
      if (op.kind === 'reserve' ? op.error : ended && !op.error) this.payers.delete(op.requestId);
    }
  }

  /** Ends the early holds of a batch. A refused hold stays early until its release and cannot be settled until then. */
  private endEarly({ ops }: Batch): void {
    for (const op of ops) {
      if (op.kind !== 'release' && (op.kind !== 'reserve' || this.refused.has(op))) continue;
      const ended = this.early.end(op.requestId);
      if (ended) this.writer.seen.endUnwritten(ended.op.request, ended);
    }
  }

  private pause(error: unknown): Promise<void> {
    return new Promise((retry) => {
      this.outage.failed(error, {
        retry,
        refuse: () => this.refuseNewMoney(),
        rejectSettlements: () => this.rejectSettlements(),
      });
    });
  }

  /**
   * The outage continues: callers of new holds get 503, and holds that the database has written or will write are
   * released.
   */
  private refuseNewMoney(): void {
    for (const batch of [this.writing, this.formingBatch]) {
      if (!batch) continue;
      batch.granted.reject(new LedgerUnavailable());
      // For operations that join it after the outage.
      batch.granted = handledResolvers();
      for (const op of batch.ops.filter((one) => one.kind === 'reserve')) {
        if (this.refused.has(op)) continue;
        this.refused.add(op);
        this.formingBatch.ops.push(releaseOp(op.requestId, payerOf(op.request)));
      }
    }
  }
}

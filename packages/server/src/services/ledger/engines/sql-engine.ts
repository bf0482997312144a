import { faultPoint } from '../../../lib/fault-point.ts';
import { timeoutAfterReads } from '../../../lib/processes/timeout-after-reads.ts';
import type { Store } from '../../../store/index.ts';
import { assertAmount } from '../plan/amounts.ts';
import {
  abandonBatch,
  acknowledge,
  type Batch,
  check,
  LedgerReservation,
  newBatch,
  settledBy,
  silentResolvers,
} from './batch.ts';
import { EarlyHolds } from './early-holds.ts';
import { type Engine, type EngineDeps, flushBeforeClose, type Touched } from './engine.ts';
import {
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
import { Outage } from './outage.ts';
import { SqlWriter } from './sql-writer.ts';
import {
  LedgerUnavailable,
  type Reservation,
  type ReserveRequest,
  type Settled,
  type Settlement,
} from '../plan/types.ts';
import { within } from './within.ts';

const durableAlready = Promise.resolve();

/**
 * The ledger on a database server: the operations that wait become one transaction that locks their accounts and
 * tokens, plans on the locked rows and writes each row once. One transaction of this process runs at a time; what
 * comes meanwhile forms the next. A transaction whose end is unknown is repeated with the same ids.
 *
 * A payer who was seen to have plenty waits for no transaction: the hold is granted at once and written behind, and the
 * rows have the last word before a byte leaves (docs/decisions/0028). Its settlement follows it, in another
 * transaction, so that a hold that is refused late has taken nothing.
 */
export class SqlEngine implements Engine {
  private readonly deps: EngineDeps;
  private readonly writer: SqlWriter;
  private readonly outage: Outage;
  /** Who pays for the requests of this process that hold something. */
  private readonly payers = new Map<string, Payer>();
  private readonly early = new EarlyHolds();
  private forming = newBatch();
  private writing: Batch | undefined;
  /** True while a transaction hangs for longer than a new hold may wait. */
  private hangs = false;
  /** True where those who wait for settlements were told that it takes too long, and who joins them as well. */
  private gaveUp = false;
  /** Holds that were refused while the database was away; what it may take of them is given back. */
  private readonly refused = new WeakSet<ReserveOp>();
  private stopped: Error | undefined;

  /** `writer` is an argument so that tests can break the connection where it hurts. */
  constructor(store: Store, deps: EngineDeps, writer = new SqlWriter(store, deps)) {
    this.deps = deps;
    this.writer = writer;
    this.outage = new Outage(deps.log, deps.settings);
  }

  reserve(request: ReserveRequest): Reservation | Promise<Reservation> {
    assertAmount(request.amount, request.upTo);
    this.assertTaking();
    const { requestId } = request;
    // What is asked for again has its hold, or its refusal, in a transaction.
    const amount = this.payers.has(requestId) ? undefined : this.writer.seen.plentyFor(request);
    const op = reserveOp(request, this.seconds(), this.deps.node);
    const batch = this.join(op);
    // Known as ours before its row can be seen, so that recovery never takes it for somebody's who died.
    this.payers.set(requestId, payerOf(request));
    if (amount === undefined) return this.granted(op, batch);
    op.amount = amount;
    this.early.add(op, batch);
    this.writer.seen.asked(request, amount);
    return new LedgerReservation(batch, op);
  }

  private async granted(op: ReserveOp, batch: Batch): Promise<Reservation> {
    await batch.granted.promise;
    check(op);
    return { amount: op.amount, durable: durableAlready };
  }

  async extend(requestId: string, more: number): Promise<boolean> {
    assertAmount(more);
    this.assertTaking();
    const op = extendOp(requestId, more, this.payers.get(requestId));
    await this.join(op).granted.promise;
    check(op);
    return op.granted;
  }

  hurry(): void {
    // Nothing is deferred here: a hold is in the next transaction.
  }

  mark(requestId: string, progress: number, request?: string): void {
    assertAmount(progress);
    const payer = this.payers.get(requestId);
    if (this.stopped || !payer || this.waiting() >= this.deps.settings.maxQueue) return;
    this.join(markOp(requestId, progress, payer, request));
  }

  async settle(settlement: Settlement, remarks?: SettleRemarks): Promise<Settled> {
    assertAmount(settlement.amount);
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

  /** Waits as long as new money does: the call has failed, and its caller is told no later for that. */
  async release(requestId: string): Promise<void> {
    const op = releaseOp(requestId, this.payers.get(requestId));
    await within(this.join(op).settled.promise, this.deps.settings.reserveWaitMs);
    check(op);
  }

  async flush(): Promise<void> {
    await this.flushQueued();
    await this.early.ended();
    // Those who waited for a settlement may have been told before it is written.
    await this.flushQueued();
  }

  private async flushQueued(): Promise<void> {
    const forming = this.forming;
    await this.writing?.written.promise;
    if (forming.ops.length > 0) await forming.written.promise;
  }

  forget(touched: Touched): void {
    this.writer.seen.forget(touched);
  }

  holds(requestId: string): boolean {
    return this.payers.has(requestId);
  }

  async close(): Promise<void> {
    await flushBeforeClose(this.flush(), this.deps);
    this.abandon();
  }

  abandon(): void {
    const error = new LedgerUnavailable(new Error('the ledger is closed'));
    this.stopped ??= error;
    this.outage.stop();
    abandonBatch(this.forming, error);
    if (this.writing) abandonBatch(this.writing, error);
  }

  private seconds(): number {
    return Math.floor(this.deps.clock() / 1000);
  }

  private waiting(): number {
    return this.forming.ops.length + (this.writing?.ops.length ?? 0);
  }

  private assertTaking(): void {
    if (this.outage.refusing || this.hangs) throw new LedgerUnavailable();
  }

  private join(op: Op): Batch {
    if (this.stopped) throw this.stopped;
    if (this.waiting() >= this.deps.settings.maxQueue) throw new LedgerUnavailable();
    const batch = this.forming;
    batch.ops.push(op);
    if (batch.ops.length === 1 && !this.writing) setImmediate(() => void this.work());
    return batch;
  }

  /** Writes batch after batch until none is left. */
  private async work(): Promise<void> {
    if (this.writing) return;
    while (!this.stopped && this.forming.ops.length > 0) {
      const batch = this.forming;
      this.forming = newBatch();
      this.writing = batch;
      const stopWatching = this.watch();
      for (let start = 0; start < batch.ops.length && !this.stopped; start += this.deps.settings.maxBatch) {
        await this.write(batch.ops.slice(start, start + this.deps.settings.maxBatch));
      }
      stopWatching();
      this.writing = undefined;
      if (this.gaveUp) this.goOn();
      this.endEarly(batch);
      // An engine that was abandoned meanwhile has told everyone already; telling them again changes nothing.
      acknowledge(batch);
    }
  }

  /** A transaction may hang on a lock of somebody else's without any error: those who wait are told all the same. */
  private watch(): () => void {
    const { reserveWaitMs, settleWaitMs } = this.deps.settings;
    const refuse = timeoutAfterReads(reserveWaitMs, () => {
      this.hangs = true;
      this.refuseNewMoney();
    });
    const giveUp = timeoutAfterReads(settleWaitMs, () => this.giveUp());
    return () => {
      refuse();
      giveUp();
      this.hangs = false;
    };
  }

  private goOn(): void {
    this.gaveUp = false;
    // Who joins from now on does not wait for the outage that is over; what has joined is written next.
    if (this.forming.ops.length === 0) this.forming = newBatch();
  }

  private giveUp(): void {
    this.gaveUp = true;
    this.writing?.settled.reject(new LedgerUnavailable());
    this.forming.settled.reject(new LedgerUnavailable());
  }

  /** Tries until the database takes these operations; throws never. */
  private async write(ops: readonly Op[]): Promise<void> {
    for (;;) {
      try {
        await this.writer.write(ops);
        this.forgetPayers(ops);
        this.outage.over();
        return;
      } catch (error) {
        if (this.stopped) return;
        await this.pause(error);
        if (this.stopped) return;
      }
    }
  }

  /** Forgets the payers of requests that hold nothing any more. */
  private forgetPayers(ops: readonly Op[]): void {
    for (const op of ops) {
      const ended = op.kind === 'settle' || op.kind === 'release';
      if (op.kind === 'reserve' ? op.error : ended && !op.error) this.payers.delete(op.requestId);
    }
  }

  /** The holds of a batch are early no more; of one that was refused nothing may be settled until it is given back. */
  private endEarly({ ops }: Batch): void {
    for (const op of ops) {
      if (op.kind !== 'release' && (op.kind !== 'reserve' || this.refused.has(op))) continue;
      const ended = this.early.end(op.requestId);
      if (ended) this.writer.seen.answered(ended.op.request, ended.amount);
    }
  }

  private pause(error: unknown): Promise<void> {
    return new Promise((again) => {
      this.outage.failed(error, {
        again,
        refuse: () => this.refuseNewMoney(),
        giveUp: () => this.giveUp(),
      });
    });
  }

  /** The outage lasts: callers of new holds get 503; what the database may have taken or will take is given back. */
  private refuseNewMoney(): void {
    for (const batch of [this.writing, this.forming]) {
      if (!batch) continue;
      batch.granted.reject(new LedgerUnavailable());
      // For what joins it when the database is back.
      batch.granted = silentResolvers();
      for (const op of batch.ops.filter((one) => one.kind === 'reserve')) {
        if (this.refused.has(op)) continue;
        this.refused.add(op);
        this.forming.ops.push(releaseOp(op.requestId, payerOf(op.request)));
      }
    }
  }
}

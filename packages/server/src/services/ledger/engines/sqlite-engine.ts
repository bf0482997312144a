import { faultPoint } from '../../../lib/fault-point.ts';
import { type DialectHelpers, type SqliteAccess, WalSync } from '../../../store/index.ts';
import { assertAmount } from '../plan/amounts.ts';
import {
  type Batch,
  breakOff,
  check,
  LedgerReservation,
  keep,
  newGate,
  newBatch,
  settledBy,
} from './batch.ts';
import { type Engine, type EngineDeps, flushBeforeClose, type Touched } from './engine.ts';
import {
  extendOp,
  markOp,
  type Op,
  type Payer,
  releaseOp,
  type ReserveOp,
  reserveOp,
  type SettleRemarks,
  settleOp,
} from '../plan/ops.ts';
import { RowLoader } from './row-loader.ts';
import { Outage } from './outage.ts';
import { DeferredHolds, deferralLeft } from './deferred-holds.ts';
import { hurry, perform } from '../plan/plan.ts';
import { SqliteMirror } from './sqlite-mirror.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type Reservation,
  type ReserveRequest,
  type Settled,
  type Settlement,
} from '../plan/types.ts';
import { gapAfter, BatchScheduler } from './batch-scheduler.ts';
import { within } from './within.ts';
import { withdrawHolds } from './withdraw.ts';

/**
 * The ledger on SQLite: every operation takes effect in memory at once and joins the batch of its turn of the event
 * loop; the batch is one transaction, and one sync of the WAL file makes it durable while the next one forms
 * (docs/decisions/0003).
 */
export class SqliteEngine implements Engine {
  readonly #sqlite: SqliteAccess;
  readonly #deps: EngineDeps;
  readonly #mirror: SqliteMirror;
  readonly #wal: WalSync;
  readonly #outage: Outage;
  #batch = newBatch();
  readonly #rowLoader = new RowLoader();
  /** Settles when the newest written batch is durable. */
  #written: Promise<void> = Promise.resolve();
  readonly #scheduler: BatchScheduler;
  readonly #deferredHolds = new DeferredHolds();
  #gapMs = 0;
  /** Requests whose hold this outage has refused; what the gateway does next of them is answered without the database. */
  #withdrawn = new Set<string>();
  /** What becomes of those who wait while the database does not answer. */
  readonly #limits = {
    refuse: () => this.#refuseNewMoney(),
    giveUp: () => this.#batch.settled.reject(new LedgerUnavailable()),
  };
  #stopped: Error | undefined;

  constructor(sqlite: SqliteAccess, dialect: DialectHelpers, deps: EngineDeps) {
    this.#sqlite = sqlite;
    this.#deps = deps;
    this.#mirror = new SqliteMirror(deps, dialect);
    this.#wal = new WalSync(sqlite.path);
    this.#outage = new Outage(deps.log, deps.settings);
    this.#scheduler = new BatchScheduler(() => this.#turn());
  }

  reserve(request: ReserveRequest): Reservation | Promise<Reservation> {
    assertAmount(request.amount, request.upTo);
    this.#assertTaking();
    const { accountId, tokenId } = request;
    if (!this.#mirror.knows(accountId, tokenId)) return this.#reserveLater(request);
    const token = this.#mirror.books.tokens.get(tokenId);
    if (token && token.unlimited !== request.tokenUnlimited) return this.#reserveLater(request);
    try {
      return this.#reserveNow(request);
    } catch (error) {
      if (!(error instanceof InsufficientQuota) || !this.#mirror.isDoubtful(accountId, tokenId)) throw error;
    }
    return this.#reserveLater(request);
  }

  #reserveNow(request: ReserveRequest): Reservation {
    const deferMs = request.deferrable ? this.#deps.settings.deferMs : 0;
    const deferredUntil = deferMs > 0 ? performance.now() + deferMs : 0;
    const op = reserveOp(request, this.#seconds(), this.#deps.node, deferredUntil);
    return new LedgerReservation(this.#submit(op, this.#gapMs, deferMs), op);
  }

  async #reserveLater(request: ReserveRequest): Promise<Reservation> {
    await within(this.#look(request.accountId, request.tokenId), this.#deps.settings.reserveWaitMs);
    this.#assertTaking();
    return this.#reserveNow(request);
  }

  async extend(requestId: string, more: number): Promise<boolean> {
    assertAmount(more);
    this.#assertTaking();
    const hold = this.#mirror.books.holds.get(requestId);
    if (!hold) return false;
    const { account_id: accountId, token_id: tokenId } = hold.row;
    if (!this.#mirror.knows(accountId, tokenId)) {
      await within(this.#look(accountId, tokenId), this.#deps.settings.reserveWaitMs);
      this.#assertTaking();
    }
    const op = extendOp(requestId, more, hold.row);
    const batch = this.#submit(op);
    await batch.granted.promise;
    check(op);
    return op.granted;
  }

  hurry(requestId: string): void {
    const hold = this.#mirror.books.holds.get(requestId);
    if (!hold || hold.stored || this.#stopped) return;
    hurry(hold);
    this.#schedule(this.#gapMs);
  }

  mark(requestId: string, progress: number, request?: string): void {
    assertAmount(progress);
    const row = this.#mirror.books.holds.get(requestId)?.row;
    if (this.#stopped || !row || this.#batch.ops.length >= this.#deps.settings.maxQueue) return;
    this.#submit(markOp(requestId, progress, row, request), this.#deps.settings.markGapMs);
  }

  settle(settlement: Settlement, remarks?: SettleRemarks): Promise<Settled> {
    try {
      assertAmount(settlement.amount);
      const hold = this.#mirror.books.holds.get(settlement.requestId);
      const payer = hold?.row;
      if (hold) this.#deferredHolds.note(hold);
      else if (this.#withdrawn.has(settlement.requestId)) throw new LedgerUnavailable();
      if (payer && this.#mirror.knows(payer.account_id, payer.token_id)) {
        return this.#settleNow(settlement, payer, remarks, hold.by);
      }
      // Goes on in the background when its caller has stopped waiting: money that is owed is booked when it can be.
      const later = within(
        this.#settleLater(settlement, payer, remarks, hold?.by),
        this.#deps.settings.settleWaitMs,
      );
      later.catch(() => undefined);
      return hold?.by ? this.#batch.granted.promise.then(() => later) : later;
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /**
   * One promise and no layer of waiting more: every call comes through here. Throws what refuses the step at once. With a
   * hold that is not written yet it waits as the hold does: nothing was delivered, and it may still be refused.
   */
  #settleNow(
    settlement: Settlement,
    payer: Payer | undefined,
    remarks: SettleRemarks | undefined,
    by?: ReserveOp,
  ): Promise<Settled> {
    const op = settleOp(settlement, this.#seconds(), payer, remarks, by);
    const batch = this.#submit(op);
    faultPoint('settlement-queued');
    const gate = by ? batch.granted : batch.settled;
    return gate.promise.then(() => settledBy(op));
  }

  async #settleLater(
    settlement: Settlement,
    payer: Payer | undefined,
    remarks: SettleRemarks | undefined,
    by: ReserveOp | undefined,
  ): Promise<Settled> {
    const { requestId } = settlement;
    await this.#look(payer?.account_id ?? 0, payer?.token_id ?? 0, requestId);
    if (by?.error) throw by.error;
    try {
      return this.#settleNow(settlement, payer, remarks);
    } finally {
      this.#mirror.books.settled.delete(requestId);
    }
  }

  async release(requestId: string): Promise<void> {
    if (this.#withdrawn.has(requestId)) return;
    const hold = this.#mirror.books.holds.get(requestId);
    const row = hold?.row;
    if (!row || !this.#mirror.knows(row.account_id, row.token_id)) {
      await within(this.#look(0, 0, requestId), this.#deps.settings.settleWaitMs);
      this.#mirror.books.settled.delete(requestId);
    }
    const op = releaseOp(requestId, row);
    const batch = this.#submit(op);
    // Of a hold that is not written nothing is left to be made durable.
    if (hold?.by) return;
    await batch.settled.promise;
    check(op);
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    if (batch.ops.length > 0) {
      batch.isUrgent = true;
      this.#schedule(0);
      await batch.written.promise;
    }
    await this.#written;
  }

  forget(touched: Touched): void {
    this.#mirror.forget(touched);
  }

  holds(requestId: string): boolean {
    return this.#mirror.books.holds.has(requestId);
  }

  async close(): Promise<void> {
    await flushBeforeClose(this.flush(), this.#deps);
    this.abandon();
    await this.#wal.close();
  }

  abandon(): void {
    this.#stop(new LedgerUnavailable(new Error('the ledger is closed')));
  }

  #stop(error: Error): void {
    this.#stopped ??= error;
    this.#scheduler.stop();
    this.#outage.stop();
    breakOff(this.#batch, error);
    this.#rowLoader.breakOff(error);
  }

  #seconds(): number {
    return Math.floor(this.#deps.clock() / 1000);
  }

  /** Refuses new money while the database is gone for long or the queue is full. */
  #assertTaking(): void {
    if (this.#outage.refusing || this.#batch.ops.length >= this.#deps.settings.maxQueue) {
      throw new LedgerUnavailable();
    }
  }

  /** Lets an operation take effect in memory and puts it into the batch. Throws what refuses it. */
  #submit(op: Op, gapMs = this.#gapMs, deferMs = 0): Batch {
    if (this.#stopped) throw this.#stopped;
    const batch = this.#batch;
    if (batch.ops.length >= this.#deps.settings.maxQueue) throw new LedgerUnavailable();
    perform(this.#mirror.books, batch.changes, op);
    if (op.error) throw op.error;
    batch.ops.push(op);
    this.#schedule(gapMs, deferMs);
    return batch;
  }

  /** Reads rows before the next step that needs them, after what is queued was written. */
  #look(accountId: number, tokenId: number, requestId?: string): Promise<void> {
    if (this.#stopped) return Promise.reject(this.#stopped);
    this.#schedule(0);
    return this.#rowLoader.ask(accountId, tokenId, requestId);
  }

  /** While the database is gone its next try takes along what is queued. */
  #schedule(gapMs: number, deferMs = 0): void {
    if (!this.#outage.lasts) this.#scheduler.schedule(gapMs, deferMs);
  }

  #turn(): void {
    if (this.#stopped) return;
    let isOurs = false;
    this.#sqlite
      .exclusive((db) => {
        isOurs = true;
        this.#scheduler.begun();
        if (this.#stopped) return;
        const batch = this.#batch;
        this.#gapMs = gapAfter(batch.ops.length, this.#deps.settings.gapMs);
        // In an outage only a write tells that it is over.
        if (batch.ops.length > 0 || this.#outage.lasts || this.#outage.refusing) {
          // Rows that are read anew must have all that hangs on them.
          const deferred = this.#rowLoader.areWanted ? [] : this.#deferredHolds.holdsOf(batch);
          this.#batch = this.#mirror.commit(db, batch, deferred);
          this.#written = this.#makeDurable(batch);
        }
        this.#mirror.read(db, this.#rowLoader.wanted);
        this.#rowLoader.answered();
        this.#outage.over();
        if (this.#withdrawn.size > 0) this.#withdrawn = new Set();
        if (this.#batch.ops.length > 0) this.#schedule(this.#gapMs, deferralLeft(this.#batch));
      })
      .catch((error: unknown) => this.#failed(error));
    // Others of this process have the connection, and may themselves wait for another process.
    if (!isOurs) this.#outage.watch(this.#limits);
  }

  async #makeDurable(batch: Batch): Promise<void> {
    try {
      faultPoint('before-sync');
      await this.#wal.durable();
      keep(batch);
    } catch (error) {
      // Nobody knows what is on the disk now: take no money any more until a new start reads it.
      this.#deps.log.error({ err: error }, 'the disk refused a sync: the ledger stops');
      const stop = new LedgerUnavailable(error);
      breakOff(batch, stop);
      this.#stop(stop);
    }
  }

  #failed(error: unknown): void {
    this.#scheduler.begun();
    if (this.#stopped) return;
    this.#outage.failed(error, { ...this.#limits, again: () => this.#scheduler.schedule(0) });
  }

  /** The outage lasts: holds that are not written are taken back, settled ones too, and their callers get 503. */
  #refuseNewMoney(): void {
    const refusal = new LedgerUnavailable();
    for (const requestId of withdrawHolds(this.#mirror.books, this.#batch, refusal))
      this.#withdrawn.add(requestId);
    this.#batch.granted.reject(refusal);
    this.#batch.granted = newGate();
  }
}

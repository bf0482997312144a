import { faultPoint } from '../../../../lib/fault-point.ts';
import { type DialectHelpers, linesOf, type SqliteAccess } from '../../../../store/index.ts';
import {
  assertAmount,
  extendOp,
  markOp,
  type Payer,
  releaseOp,
  type ReserveOp,
  reserveOp,
  type SettleRemarks,
  settleOp,
} from '../plan/ops.ts';
import { endDeferral } from '../plan/plan.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type Reservation,
  type ReserveRequest,
  type Settled,
  type Settlement,
} from '../plan/types.ts';
import { check, LedgerReservation, neverWritten, settledBy } from './batch.ts';
import { type Engine, type EngineDeps, flushBeforeClose, type Touched } from './engine.ts';
import { type PayerRows, payerRows, SqliteMirror } from './sqlite-mirror.ts';
import { SqliteQueue } from './sqlite-queue.ts';
import { withTimeout } from './with-timeout.ts';

/** Reads a request by itself: its hold names its payer. */
const noPayer: PayerRows = { account_id: 0, token_id: 0, member_id: 0, budgets: '' };

/**
 * The ledger on SQLite: every operation takes effect in memory at once and joins the batch of its turn of the event
 * loop. The batch is one transaction, and one sync of the WAL file makes it durable while the next one forms
 * (docs/decisions/0003).
 */
export class SqliteEngine implements Engine {
  private readonly deps: EngineDeps;
  private readonly mirror: SqliteMirror;
  private readonly queue: SqliteQueue;

  constructor(sqlite: SqliteAccess, dialect: DialectHelpers, deps: EngineDeps) {
    this.deps = deps;
    this.mirror = new SqliteMirror(deps, dialect);
    this.queue = new SqliteQueue(sqlite, this.mirror, deps);
  }

  reserve(request: ReserveRequest): Reservation | Promise<Reservation> {
    assertAmount(request.amount, request.upTo, request.tokens, request.upToTokens);
    this.queue.assertTaking();
    const { accountId, tokenId, memberId = 0, budgets } = request;
    if (!this.mirror.knows(accountId, tokenId, memberId)) return this.reserveLater(request);
    if (budgets && !this.mirror.knowsBudgets(budgets)) return this.reserveLater(request);
    const token = this.mirror.books.tokens.get(tokenId);
    if (token && token.unlimited !== request.tokenUnlimited) return this.reserveLater(request);
    try {
      return this.reserveNow(request);
    } catch (error) {
      if (!(error instanceof InsufficientQuota) || !this.mirror.needsRecheck(payerRows(request))) throw error;
    }
    return this.reserveLater(request);
  }

  private reserveNow(request: ReserveRequest): Reservation {
    const deferMs = request.deferrable ? this.deps.settings.deferMs : 0;
    const deferredUntil = deferMs > 0 ? performance.now() + deferMs : 0;
    const op = reserveOp(request, this.seconds(), request.node ?? this.deps.node, deferredUntil);
    return new LedgerReservation(this.queue.submit(op, { deferMs }), op);
  }

  private async reserveLater(request: ReserveRequest): Promise<Reservation> {
    await this.loadPayer(payerRows(request));
    return this.reserveNow(request);
  }

  /** Reads the rows of a payer, then takes new money. */
  private async loadPayer(payer: PayerRows): Promise<void> {
    await withTimeout(this.queue.loadRows(payer), this.deps.settings.reserveWaitMs);
    this.queue.assertTaking();
  }

  async extend(requestId: string, more: number, moreTokens = 0): Promise<boolean> {
    assertAmount(more, moreTokens);
    this.queue.assertTaking();
    const hold = this.mirror.books.holds.get(requestId);
    if (!hold) throw new LedgerUnavailable();
    if (!this.knows(hold.row)) await this.loadPayer(hold.row);
    const op = extendOp(requestId, [more, moreTokens], this.seconds(), hold.row);
    const batch = this.queue.submit(op);
    await batch.granted.promise;
    check(op);
    return op.granted;
  }

  endDeferral(requestId: string): void {
    const hold = this.mirror.books.holds.get(requestId);
    if (!hold || hold.stored || this.queue.isStopped) return;
    endDeferral(hold);
    this.queue.endDeferral();
  }

  mark(requestId: string, progress: number, request?: string, tokens?: number): Promise<void> {
    assertAmount(progress, tokens);
    const row = this.mirror.books.holds.get(requestId)?.row;
    if (!row) return Promise.resolve();
    if (this.queue.isStopped || this.queue.isFull) return neverWritten();
    const op = markOp(requestId, progress, row, { request, tokens });
    return this.queue.submit(op, { gapMs: this.deps.settings.markGapMs }).written.promise;
  }

  settle(settlement: Settlement, remarks?: SettleRemarks): Promise<Settled> {
    try {
      assertAmount(settlement.amount, settlement.tokens);
      const hold = this.mirror.books.holds.get(settlement.requestId);
      const payer = hold?.row;
      if (hold) this.queue.noteSettled(hold);
      else if (this.queue.hasRefused(settlement.requestId)) throw new LedgerUnavailable();
      if (payer && this.knows(payer)) {
        return this.settleNow(settlement, payer, remarks, hold.by);
      }
      // Continues in the background after its caller has stopped waiting: owed money is booked as soon as possible.
      const later = withTimeout(
        this.settleLater(settlement, payer, remarks, hold?.by),
        this.deps.settings.settleWaitMs,
      );
      later.catch(() => undefined);
      return hold?.by ? this.queue.granted.then(() => later) : later;
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /**
   * Returns the promise without further wrapping, because every call uses this function. Throws the error of a refused
   * step at once. With an unwritten hold it waits like the hold: nothing was delivered, and the hold may still be
   * refused.
   */
  private settleNow(
    settlement: Settlement,
    payer: Payer | undefined,
    remarks: SettleRemarks | undefined,
    by?: ReserveOp,
  ): Promise<Settled> {
    const op = settleOp(settlement, this.seconds(), payer, remarks, by);
    const batch = this.queue.submit(op);
    faultPoint('settlement-queued');
    const outcome = by ? batch.granted : batch.settled;
    return outcome.promise.then(() => settledBy(op));
  }

  private async settleLater(
    settlement: Settlement,
    payer: Payer | undefined,
    remarks: SettleRemarks | undefined,
    by: ReserveOp | undefined,
  ): Promise<Settled> {
    const { requestId } = settlement;
    await this.queue.loadRows(payer ?? noPayer, requestId);
    if (by?.error) throw by.error;
    try {
      return this.settleNow(settlement, payer, remarks);
    } finally {
      this.mirror.books.settled.delete(requestId);
    }
  }

  /** Waits as long as a new hold does: the call has failed, and its caller should not wait longer. */
  async release(requestId: string): Promise<void> {
    if (!this.queue.hasRefused(requestId))
      await withTimeout(this.releaseInTime(requestId), this.deps.settings.reserveWaitMs);
  }

  private async releaseInTime(requestId: string): Promise<void> {
    const hold = this.mirror.books.holds.get(requestId);
    const row = hold?.row;
    if (!row || !this.knows(row)) {
      await this.queue.loadRows(noPayer, requestId);
      this.mirror.books.settled.delete(requestId);
    }
    const op = releaseOp(requestId, row);
    const batch = this.queue.submit(op);
    // A hold without a row has nothing to make durable.
    if (hold?.by) return;
    await batch.settled.promise;
    check(op);
  }

  flush(): Promise<void> {
    return this.queue.flush();
  }

  forget(touched: Touched): void {
    this.mirror.forget(touched);
  }

  get isRefusing(): boolean {
    return this.queue.isRefusing;
  }

  accountOf(requestId: string): number | undefined {
    return this.mirror.books.holds.get(requestId)?.row.account_id;
  }

  async close(): Promise<void> {
    await flushBeforeClose(this.flush(), this.deps);
    this.abandon();
    await this.queue.close();
  }

  abandon(): void {
    this.queue.stop(new LedgerUnavailable(new Error('the ledger is closed')));
  }

  private knows({
    account_id: accountId,
    token_id: tokenId,
    member_id: memberId,
    budgets,
  }: PayerRows): boolean {
    if (!this.mirror.knows(accountId, tokenId, memberId)) return false;
    return budgets === '' || this.mirror.knowsBudgets(linesOf(budgets).map(({ id }) => id));
  }

  private seconds(): number {
    return Math.floor(this.deps.clock() / 1000);
  }
}

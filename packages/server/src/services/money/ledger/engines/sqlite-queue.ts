import { linesOf, type SqliteAccess, WalSync } from '../../../../store/index.ts';
import type { HoldEntry } from '../plan/books.ts';
import type { Op } from '../plan/ops.ts';
import { perform } from '../plan/plan.ts';
import { LedgerUnavailable } from '../plan/types.ts';
import { abandonBatch, type Batch, handledResolvers, newBatch, acknowledge } from './batch.ts';
import {
  deferralLeft,
  DeferredHolds,
  type SqliteMirror,
  noRows,
  type PayerRows,
  type RowIds,
} from './sqlite-mirror.ts';
import { type EngineDeps, Outage } from './engine.ts';
import { withdrawHolds } from './withdraw.ts';
import { faultPoint } from '../../../../lib/fault-point.ts';
import type { Log } from '../../../../lib/log.ts';

/** A batch of this many operations is followed by a gap of a millisecond. */
const opsPerMs = 8;

/**
 * Pause after the start of a batch of `ops` before the next; longer under load, so that more operations share a
 * commit.
 */
const gapAfter = (ops: number, longestMs: number): number => Math.min(longestMs, ops / opsPerMs);

/**
 * Schedules the next batch: soon, but with a gap after the last one, so that many operations share a commit under load.
 */
class BatchScheduler {
  private readonly run: () => void;
  private scheduled = false;
  /** By performance.now(). */
  private lastStart = 0;
  private timer: NodeJS.Timeout | undefined;
  private timerDue = 0;

  constructor(run: () => void) {
    this.run = run;
  }

  /**
   * Schedules a run, at the earliest `gapMs` after the start of the last one and `deferMs` from now, unless another
   * caller needs it sooner. It starts in the check phase of the event loop, after all input of the same turn of the
   * loop.
   */
  schedule(gapMs: number, deferMs = 0): void {
    if (this.scheduled) return;
    const now = performance.now();
    const due = Math.max(gapMs === 0 ? 0 : this.lastStart + gapMs, deferMs === 0 ? 0 : now + deferMs);
    if (this.timer && this.timerDue <= due) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    const wait = due - now;
    // Timers count whole milliseconds; half of one is not worth waiting for.
    if (wait < 0.5) {
      this.scheduled = true;
      setImmediate(this.run);
      return;
    }
    this.timerDue = due;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.schedule(0);
    }, wait);
  }

  /** A run has taken the queued operations (or failed to): later operations need another run. */
  started(): void {
    this.scheduled = false;
    this.lastStart = performance.now();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

/** Makes written batches durable: one sync of the WAL file for each, while the next one forms. */
export class Durability {
  private readonly wal: WalSync;
  private readonly log: Log;
  private readonly onLost: (error: Error) => void;
  /** Settles when the newest written batch is durable. */
  private lastWritten: Promise<void> = Promise.resolve();

  /** `onLost` is called when the disk refuses a sync. */
  constructor(path: string, log: Log, onLost: (error: Error) => void) {
    this.wal = new WalSync(path);
    this.log = log;
    this.onLost = onLost;
  }

  get newest(): Promise<void> {
    return this.lastWritten;
  }

  /** A batch was written: acknowledges it once it is durable. */
  written(batch: Batch): void {
    this.lastWritten = this.sync(batch);
  }

  private async sync(batch: Batch): Promise<void> {
    try {
      faultPoint('before-sync');
      await this.wal.durable();
      acknowledge(batch);
    } catch (error) {
      // The content of the disk is unknown now. The queue accepts no money operations until a restart reads it.
      this.log.error({ err: error }, 'the disk refused a sync: the ledger stops');
      const lost = new LedgerUnavailable(error);
      abandonBatch(batch, lost);
      this.onLost(lost);
    }
  }

  close(): Promise<void> {
    return this.wal.close();
  }
}

/** The rows to read next: all rows requested before a turn of the event loop are read in it. */
class RowLoader {
  private rows = noRows();
  private reading = handledResolvers();

  get wanted(): RowIds {
    return this.rows;
  }

  get hasRows(): boolean {
    const { accounts, tokens, members, budgets, requests } = this.rows;
    return accounts.size + tokens.size + members.size + budgets.size + requests.size > 0;
  }

  /** Resolves when the rows were read; an id of 0 is none. */
  ask(payer: PayerRows, requestId?: string): Promise<void> {
    if (payer.account_id !== 0) this.rows.accounts.add(payer.account_id);
    if (payer.token_id !== 0) this.rows.tokens.add(payer.token_id);
    if (payer.member_id !== 0) this.rows.members.add(payer.member_id);
    for (const { id } of linesOf(payer.budgets)) this.rows.budgets.add(id);
    if (requestId !== undefined) this.rows.requests.add(requestId);
    return this.reading.promise;
  }

  /** All requested rows were read. */
  loaded(): void {
    this.rows = noRows();
    this.reading.resolve();
    this.reading = handledResolvers();
  }

  /** Rejects callers that wait for rows. */
  reject(error: Error): void {
    this.reading.reject(error);
  }
}

/** Earliest time to write a step's batch: `gapMs` after the start of the last one, `deferMs` from now. */
export interface WriteTiming {
  gapMs?: number;
  deferMs?: number;
}

/**
 * The batches of the ledger on SQLite: the current one collects steps, and a turn of the event loop writes it in one
 * transaction and reads the requested rows. While the database does not respond, waiting operations are refused in
 * time.
 */
export class SqliteQueue {
  private readonly sqlite: SqliteAccess;
  private readonly deps: EngineDeps;
  private readonly mirror: SqliteMirror;
  private readonly durability: Durability;
  private readonly outage: Outage;
  private readonly scheduler = new BatchScheduler(() => this.writeBatch());
  private readonly rowLoader = new RowLoader();
  private readonly deferredHolds = new DeferredHolds();
  private batch = newBatch();
  private gapMs = 0;
  /** Requests that this outage has refused. Further operations on them get a result without the database. */
  private withdrawn = new Set<string>();
  /** Handling of waiting callers during an outage. */
  private readonly limits = {
    refuse: () => this.refuseNewMoney(),
    rejectSettlements: () => this.batch.settled.reject(new LedgerUnavailable()),
  };
  private stopped: Error | undefined;

  constructor(sqlite: SqliteAccess, mirror: SqliteMirror, deps: EngineDeps) {
    this.sqlite = sqlite;
    this.deps = deps;
    this.mirror = mirror;
    this.durability = new Durability(sqlite.path, deps.log, (error) => this.stop(error));
    this.outage = new Outage(deps.log, deps.settings);
  }

  get isStopped(): boolean {
    return this.stopped !== undefined;
  }

  get isFull(): boolean {
    return this.batch.ops.length >= this.deps.settings.maxQueue;
  }

  /** Resolves when the holds of the current batch are durable. */
  get granted(): Promise<void> {
    return this.batch.granted.promise;
  }

  get isRefusing(): boolean {
    return this.outage.refusing;
  }

  /** Throws while an outage lasts too long or the queue is full: new money is refused. */
  assertTaking(): void {
    if (this.isRefusing || this.isFull) throw new LedgerUnavailable();
  }

  /** True if this outage has refused the hold of a request. */
  hasRefused(requestId: string): boolean {
    return this.withdrawn.has(requestId);
  }

  /** Records the duration of the hold of a settled call: it decides whether holds are left out. */
  noteSettled(hold: HoldEntry): void {
    this.deferredHolds.note(hold);
  }

  /** Applies an operation in memory and adds it to the batch. Throws the error of a refused operation. */
  submit(op: Op, { gapMs = this.gapMs, deferMs = 0 }: WriteTiming = {}): Batch {
    if (this.stopped) throw this.stopped;
    if (this.isFull) throw new LedgerUnavailable();
    const batch = this.batch;
    perform(this.mirror.books, batch.changes, op);
    if (op.error) throw op.error;
    batch.ops.push(op);
    this.schedule(gapMs, deferMs);
    return batch;
  }

  /** A caller waits for this hold, so it is no longer deferred. */
  endDeferral(): void {
    this.schedule(this.gapMs);
  }

  /** Reads rows for the next step, after queued changes are written. */
  loadRows(payer: PayerRows, requestId?: string): Promise<void> {
    if (this.stopped) return Promise.reject(this.stopped);
    this.schedule(0);
    return this.rowLoader.ask(payer, requestId);
  }

  /** Resolves when all queued operations are durable. */
  async flush(): Promise<void> {
    const batch = this.batch;
    if (batch.ops.length > 0) {
      batch.isUrgent = true;
      this.schedule(0);
      await batch.written.promise;
    }
    await this.durability.newest;
  }

  /** Accepts no more steps; waiting callers get the error. */
  stop(error: Error): void {
    this.stopped ??= error;
    this.scheduler.stop();
    this.outage.stop();
    abandonBatch(this.batch, error);
    this.rowLoader.reject(error);
  }

  close(): Promise<void> {
    return this.durability.close();
  }

  /** During an outage its next attempt includes the queued operations. */
  private schedule(gapMs: number, deferMs = 0): void {
    if (!this.outage.isOngoing) this.scheduler.schedule(gapMs, deferMs);
  }

  private writeBatch(): void {
    if (this.stopped) return;
    let hasConnection = false;
    this.sqlite
      .exclusive((db) => {
        hasConnection = true;
        this.scheduler.started();
        if (this.stopped) return;
        this.write(db);
        this.mirror.loadRows(db, this.rowLoader.wanted);
        this.rowLoader.loaded();
        this.outage.end();
        if (this.withdrawn.size > 0) this.withdrawn = new Set();
        if (this.batch.ops.length > 0) this.schedule(this.gapMs, deferralLeft(this.batch));
      })
      .catch((error: unknown) => this.failed(error));
    // Other users of the connection in this process may themselves wait for another process.
    if (!hasConnection) this.outage.start(this.limits);
  }

  private write(db: Parameters<SqliteMirror['commit']>[0]): void {
    const batch = this.batch;
    this.gapMs = gapAfter(batch.ops.length, this.deps.settings.gapMs);
    // In an outage, only a write proves its end.
    if (batch.ops.length === 0 && !this.outage.isOngoing && !this.outage.refusing) return;
    // Rows that are read again must include all dependent changes.
    const deferred = this.rowLoader.hasRows ? [] : this.deferredHolds.holdsOf(batch);
    this.batch = this.mirror.commit(db, batch, deferred);
    this.durability.written(batch);
  }

  private failed(error: unknown): void {
    this.scheduler.started();
    if (this.stopped) return;
    this.outage.failed(error, { ...this.limits, retry: () => this.scheduler.schedule(0) });
  }

  /** Handles a long outage: unwritten holds are withdrawn, settled ones too, and their callers get 503. */
  private refuseNewMoney(): void {
    const refusal = new LedgerUnavailable();
    for (const requestId of withdrawHolds(this.mirror.books, this.batch, refusal))
      this.withdrawn.add(requestId);
    this.batch.granted.reject(refusal);
    this.batch.granted = handledResolvers();
  }
}

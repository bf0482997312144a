import type { Clock } from '../../../../lib/clock.ts';
import type { Log } from '../../../../lib/log.ts';
import type { SettleRemarks } from '../plan/ops.ts';
import type { RequestLedger, ReserveRequest, Settled, Settlement } from '../plan/types.ts';
import { newCallWaitMs, withTimeout } from './with-timeout.ts';
import { type DialectHelpers, StaleBooks } from '../../../../store/index.ts';

/** Rows that a verb of the slow path changed. */
export interface Touched {
  accounts: Set<number>;
  tokens: Set<number>;
  members: Set<number>;
  budgets: Set<number>;
}

export const nothingTouched = (): Touched => ({
  accounts: new Set(),
  tokens: new Set(),
  members: new Set(),
  budgets: new Set(),
});

/** The rows that decide on a call; token 0 means none. */
export type PayerIds = Pick<ReserveRequest, 'accountId' | 'tokenId' | 'memberId' | 'budgets'>;

/** The operations of the request path on one kind of database. */
export interface Engine extends RequestLedger {
  settle(settlement: Settlement, remarks?: SettleRemarks): Promise<Settled>;
  /** Another transaction changed these rows. Remembered figures are read again before use. */
  forget(touched: Touched): void;
  /** True while new holds are refused because the database does not take them. */
  readonly isRefusing: boolean;
  /** The account that pays for a request of this process that holds something; undefined where none has this id. */
  accountOf(requestId: string): number | undefined;
  /** Makes everything queued durable, then stops. Recovery handles what the database does not accept in time. */
  close(): Promise<void>;
  /** Stops at once and writes nothing more, as if the process had died. */
  abandon(): void;
}

/** Bounds of the engines. Times in milliseconds. */
export interface EngineSettings {
  /**
   * Longest time between the starts of two commits under load: what comes meanwhile shares the next one. A quiet ledger
   * commits at once; the gap grows by an eighth of a millisecond for each operation of the last batch.
   */
  gapMs: number;
  /** A deferrable hold waits this long for others to share its batch: less than an upstream takes to answer. */
  deferMs: number;
  /** Progress marks wait this long for others to share their batch; no caller waits for them. */
  markGapMs: number;
  /** Operations queued at most while the database is gone; beyond, even settlements are refused and left to recovery. */
  maxQueue: number;
  /** How long a new hold waits for an unavailable database, then 503; a failed call waits as long for its release. */
  reserveWaitMs: number;
  /** How long a settlement waits before it is rejected; it stays queued. */
  settleWaitMs: number;
  /** Longest pause between two tries while the database is unavailable. */
  maxRetryMs: number;
  /** Accounts, and tokens, kept in memory at most (beyond those with running requests). */
  maxKnown: number;
  /** Operations in one transaction at most, where the engine can choose. */
  maxBatch: number;
  /** A refusal by figures older than this is checked against the row first. */
  recheckAfterMs: number;
  /** How long a call waits for holds of other calls to be released. */
  releaseWaitMs: number;
  /**
   * On a database server a hold is granted before it is written if account, token and member each had this many times
   * the amount free. A greater factor makes a later refusal, because other processes spent the money, less likely.
   */
  earlyHoldMultiple: number;
  /** Maximum age of a payer's figures for early holds. */
  seenMaxAgeMs: number;
}

export const defaultEngineSettings: EngineSettings = {
  gapMs: 3,
  deferMs: 3,
  markGapMs: 100,
  maxQueue: 50_000,
  reserveWaitMs: newCallWaitMs,
  settleWaitMs: 30_000,
  maxRetryMs: 500,
  maxKnown: 50_000,
  maxBatch: 1_000,
  recheckAfterMs: 1_000,
  releaseWaitMs: 2_000,
  earlyHoldMultiple: 16,
  seenMaxAgeMs: 10_000,
};

export interface EngineDeps {
  log: Log;
  clock: Clock;
  /** Names this process among others on the same database. */
  node: string;
  settings: EngineSettings;
}

/** Waits for the last batches before the engine stops, but not for a database that does not answer. */
export async function flushBeforeClose(flushed: Promise<void>, { log, settings }: EngineDeps): Promise<void> {
  await withTimeout(flushed, settings.reserveWaitMs).catch((error: unknown) => {
    log.error({ err: error }, 'the ledger closes with work that is not durable; recovery will end it');
  });
}

/**
 * True if the written data is at fault and not the database. Then the engine plans again on the rows, or omits what
 * cannot be stored. Every other error is an outage; a settlement is kept through it.
 */
export const isFault = (dialect: DialectHelpers, error: unknown): boolean =>
  error instanceof StaleBooks ||
  error instanceof TypeError ||
  error instanceof RangeError ||
  dialect.isDataFault(error);

/** Callbacks of an outage that lasts too long; each is called once. */
interface Limits {
  /** New money is refused from now on. */
  refuse(): void;
  /** Callers that wait for settlements get LedgerUnavailable; the settlements stay queued. */
  rejectSettlements(): void;
}

/**
 * The time during which the database does not take batches: when to try again, when new money is refused, when callers
 * that wait for settlements are refused. Runs on timers, not on the wall clock.
 */
export class Outage {
  /** True once new holds are refused at once. */
  refusing = false;
  private readonly log: Log;
  private readonly settings: EngineSettings;
  private timers: NodeJS.Timeout[] = [];
  private hasStarted = false;
  private tries = 0;

  constructor(log: Log, settings: EngineSettings) {
    this.log = log;
    this.settings = settings;
  }

  get isOngoing(): boolean {
    return this.tries > 0;
  }

  /** A batch has to wait for the database, which may be the beginning of an outage: its time counts from now. */
  start(limits: Limits): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    this.after(this.settings.reserveWaitMs, () => {
      this.refusing = true;
      limits.refuse();
    });
    this.after(this.settings.settleWaitMs, () => limits.rejectSettlements());
  }

  /** A try failed: calls `retry` after a pause; `refuse` and `rejectSettlements` when the outage has lasted too long. */
  failed(error: unknown, then: Limits & { retry(): void }): void {
    this.start(then);
    this.tries += 1;
    if (this.tries === 1) this.log.error({ err: error }, 'the ledger cannot reach its database');
    const pause = Math.min(this.settings.maxRetryMs, 10 * 2 ** Math.min(this.tries, 10));
    this.after(pause, () => then.retry());
  }

  /** A batch was taken. */
  end(): void {
    if (!this.hasStarted) return;
    if (this.tries > 0) this.log.info({ tries: this.tries }, 'the ledger reaches its database again');
    this.stop();
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
    this.hasStarted = false;
    this.tries = 0;
    this.refusing = false;
  }

  private after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.splice(this.timers.indexOf(timer), 1);
      work();
    }, ms);
    this.timers.push(timer);
  }
}

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
  /** True while new holds are refused because the database does not accept them. */
  readonly isRefusing: boolean;
  /** The account that pays for a request of this process with a hold; undefined for an unknown id. */
  accountOf(requestId: string): number | undefined;
  /** Makes everything queued durable, then stops. Recovery handles what the database does not accept in time. */
  close(): Promise<void>;
  /** Stops at once and writes nothing more, like a crashed process. */
  abandon(): void;
}

/** Bounds of the engines. Times in milliseconds. */
export interface EngineSettings {
  /**
   * Longest time between the starts of two commits under load: operations in between share the next one. An idle ledger
   * commits at once; the gap grows by an eighth of a millisecond for each operation of the last batch.
   */
  gapMs: number;
  /**
   * Time for which a deferrable hold waits for others to share its batch: less than the response time of an upstream.
   */
  deferMs: number;
  /** Time for which progress marks wait for others to share their batch; no caller waits for them. */
  markGapMs: number;
  /**
   * Maximum number of queued operations during an outage; above it, even settlements are refused and left to recovery.
   */
  maxQueue: number;
  /**
   * Time for which a new hold waits for an unavailable database, then 503; the release of a failed call waits as long.
   */
  reserveWaitMs: number;
  /** Time for which a settlement waits before it is rejected; it stays queued. */
  settleWaitMs: number;
  /** Longest pause between two attempts while the database is unavailable. */
  maxRetryMs: number;
  /** Maximum number of accounts, and of tokens, kept in memory (in addition to those with running requests). */
  maxKnown: number;
  /** Maximum number of operations in one transaction, if the engine can choose. */
  maxBatch: number;
  /** A refusal by figures older than this is checked on the row first. */
  recheckAfterMs: number;
  /** Time for which a call waits for the release of other calls' holds. */
  releaseWaitMs: number;
  /**
   * On a database server, a hold is granted before it is written if account, token and member each had this many times
   * the amount free. A greater factor makes a later refusal (after other processes spent the money) less likely.
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

/** Waits for the last batches before the engine stops, but not for a database that does not respond. */
export async function flushBeforeClose(flushed: Promise<void>, { log, settings }: EngineDeps): Promise<void> {
  await withTimeout(flushed, settings.reserveWaitMs).catch((error: unknown) => {
    log.error({ err: error }, 'the ledger closes with work that is not durable; recovery will end it');
  });
}

/**
 * True if the error is in the written data and not in the database. Then the engine plans again on the rows, or omits
 * data that cannot be stored. Every other error is an outage; a settlement is kept through it.
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
 * An outage: the time during which the database accepts no batches. Decides when to retry, when to refuse new money,
 * and when to reject waiting settlements. Runs on timers, not on the wall clock.
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

  /** A batch has to wait for the database, which may be the start of an outage: its time counts from now. */
  start(limits: Limits): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    this.after(this.settings.reserveWaitMs, () => {
      this.refusing = true;
      limits.refuse();
    });
    this.after(this.settings.settleWaitMs, () => limits.rejectSettlements());
  }

  /**
   * An attempt failed: calls `retry` after a pause; `refuse` and `rejectSettlements` when the outage has lasted too
   * long.
   */
  failed(error: unknown, then: Limits & { retry(): void }): void {
    this.start(then);
    this.tries += 1;
    if (this.tries === 1) this.log.error({ err: error }, 'the ledger cannot reach its database');
    const pause = Math.min(this.settings.maxRetryMs, 10 * 2 ** Math.min(this.tries, 10));
    this.after(pause, () => then.retry());
  }

  /** A batch was accepted. */
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

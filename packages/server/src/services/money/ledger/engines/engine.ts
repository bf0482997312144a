import type { Clock } from '../../../../lib/clock.ts';
import type { Log } from '../../../../lib/log.ts';
import type { SettleRemarks } from '../plan/ops.ts';
import type { RequestLedger, ReserveRequest, Settled, Settlement } from '../plan/types.ts';
import { newCallWaitMs, withTimeout } from './with-timeout.ts';

/** Rows that a verb of the slow path changed. */
export interface Touched {
  accounts: Set<number>;
  tokens: Set<number>;
  members: Set<number>;
}

export const nothingTouched = (): Touched => ({ accounts: new Set(), tokens: new Set(), members: new Set() });

/** Whose figures decide over a call; a token of 0 is none. */
export type PayerIds = Pick<ReserveRequest, 'accountId' | 'tokenId' | 'memberId'>;

/** What carries the request path on one kind of database. */
export interface Engine extends RequestLedger {
  settle(settlement: Settlement, remarks?: SettleRemarks): Promise<Settled>;
  /** Another transaction changed these rows: what is remembered of them is read again before it is used. */
  forget(touched: Touched): void;
  /** True while new holds are refused because the database does not take them. */
  readonly isRefusing: boolean;
  /** The account that pays for a request of this process that holds something; undefined where none has this id. */
  accountOf(requestId: string): number | undefined;
  /** Makes everything queued durable, then stops. What the database does not take in time is left to recovery. */
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
  /** How long a call waits for other calls to release what they hold. */
  releaseWaitMs: number;
  /**
   * On a database server a hold is granted before it is written where account, token and member were
   * each seen to have so many times as much free. The more, the less often such a hold turns out not to stand because
   * other processes spent it meanwhile.
   */
  earlyHoldMultiple: number;
  /** How long the figures that were seen of a payer may be used for early holds. */
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

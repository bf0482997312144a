import { logQuota } from '@tollgate/contract';
import { grants, inTransaction, type Store } from '../../../store/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import {
  defaultEngineSettings,
  type Engine,
  type EngineSettings,
  nothingTouched,
  type Touched,
} from './engines/engine.ts';
import { Heartbeat } from './heartbeat.ts';
import { type CrashRowOf, type Recovery, RecoverHolds } from './recover.ts';
import { SqlEngine } from './engines/sql-engine.ts';
import { SqliteEngine } from './engines/sqlite-engine.ts';
import { type CallLedger, ExpiryDue } from './plan/types.ts';
import { ReleaseQueue } from './release-queue.ts';
import { adjust, type AdjustInput } from './verbs/adjust.ts';
import { completeTopUp, type CompletedTopUp, type CompleteTopUpInput } from './verbs/complete-top-up.ts';
import type { VerbContext } from './verbs/context.ts';
import { credit, type CreditInput, type Moved } from './verbs/credit.ts';
import { settleExpiry } from './verbs/grants.ts';
import { grantLimit, type GrantLimitInput } from './verbs/grant-limit.ts';
import { grantToken, type GrantTokenInput } from './verbs/grant-token.ts';
import { move, type MovedBetween, type MoveInput } from './verbs/move.ts';
import { redeem, type Redeemed, type RedeemInput } from './verbs/redeem.ts';
import { refundTopUp, type RefundedTopUp, type RefundTopUpInput } from './verbs/refund-top-up.ts';
import { addReward, type AddRewardInput, transferReward, type TransferRewardInput } from './verbs/reward.ts';

/** All movements of quota: the request path, the slow path, and their recovery. */
export interface Ledger extends CallLedger {
  /** Ends the holds of dead processes. Called at start before the first request, then repeatedly. */
  recover(): Promise<Recovery>;
  /**
   * Ends the holds of dead processes on the same database: those without a heartbeat for ten seconds. Must be called
   * every second, because that time is only measured between close calls.
   */
  recoverOthers(): Promise<Recovery>;
  /**
   * Ends the holds of another process at once, because the caller has seen its end. A process of the same name may
   * start only afterwards.
   */
  recoverDead(node: string): Promise<Recovery>;
  /**
   * Runs `work` in one transaction, in which the verbs may be called with the context and other tables written; all of
   * it is committed or rolled back together. `work` may run more than once and must have no effects outside the
   * database.
   */
  change<T>(work: (context: VerbContext) => Promise<T>): Promise<T>;
  credit(input: CreditInput): Promise<Moved>;
  adjust(input: AdjustInput): Promise<Moved>;
  grantToken(input: GrantTokenInput): Promise<Moved>;
  grantLimit(input: GrantLimitInput): Promise<Moved>;
  move(input: MoveInput): Promise<MovedBetween>;
  addReward(input: AddRewardInput): Promise<{ applied: boolean }>;
  transferReward(input: TransferRewardInput): Promise<Moved>;
  redeem(input: RedeemInput): Promise<Redeemed>;
  completeTopUp(input: CompleteTopUpInput): Promise<CompletedTopUp>;
  refundTopUp(input: RefundTopUpInput): Promise<RefundedTopUp>;
  /**
   * Books what has expired in wallets that no call uses. Returns the number of wallets; more are left if it is `limit`.
   */
  settleExpired(limit: number): Promise<number>;
  /** True while new holds are refused because the database does not accept them. */
  isRefusing(): boolean;
  /** Makes everything queued durable, then stops. */
  close(): Promise<void>;
  /** Stops at once without writing, as after a crash; recovery must end the remaining holds. */
  abandon(): void;
}

export interface LedgerDeps {
  store: Store;
  log: Log;
  clock: Clock;
  /** Names this process among others on the same database, and again after a restart. At most 64 characters. */
  node: string;
  settings?: Partial<EngineSettings>;
  /**
   * The consumption row of a hold after a crash, from the note of its last mark; undefined if the note is not
   * sufficient.
   */
  crashRow?: CrashRowOf;
  /** An amount of quota as text for log rows; in dollars by default. */
  amountText?: (quota: number) => string;
  /** Monotonic clock in milliseconds, for the heartbeats of other processes. */
  monotonic?: () => number;
}

/** Attempts of an operation with an unknown result. Repeating it is safe because of its txn. */
const tries = 3;

/** Opens the ledger on a store: group commit on SQLite, batches as transactions on a database server. */
export function createLedger(deps: LedgerDeps): Ledger {
  const { store, log, clock, node } = deps;
  const settings = { ...defaultEngineSettings, ...deps.settings };
  const engineDeps = { log, clock, node, settings };
  const engine: Engine = store.sqlite
    ? new SqliteEngine(store.sqlite, store.dialect, engineDeps)
    : new SqlEngine(store, engineDeps);
  return ledgerOn(engine, { ...deps, settings });
}

/** The ledger on the engine of the caller. */
export function ledgerOn(
  engine: Engine,
  { settings = defaultEngineSettings, ...deps }: Omit<LedgerDeps, 'settings'> & { settings?: EngineSettings },
): Ledger {
  const { store, log, node } = deps;
  const now = deps.monotonic ?? (() => performance.now());
  const recovery = new RecoverHolds({ store, engine, log, node, now, crashRow: deps.crashRow });
  const heartbeat = new Heartbeat(store, node, log);
  heartbeat.start();
  const queue = new ReleaseQueue(settings.releaseWaitMs);
  const change = async <T>(work: (context: VerbContext) => Promise<T>): Promise<T> => {
    const touched = nothingTouched();
    const done = await changeRows(deps, engine, touched, work);
    // Not after a failure: it released nothing, and a refused waiting task would wake itself without end.
    for (const accountId of touched.accounts) queue.released(accountId);
    return done;
  };
  /** Settles expired grants if a hold failed for that reason, and takes it again. */
  const afterExpiry = async <T>(error: unknown, again: () => T | Promise<T>): Promise<T> => {
    if (!(error instanceof ExpiryDue)) throw error;
    await change((context) => settleExpiry(context, error.accountId));
    try {
      return await again();
    } catch (second) {
      // Another grant has expired meanwhile.
      if (second instanceof ExpiryDue && second.isDue) return afterExpiry(second, again);
      throw second;
    }
  };
  /** Ends a hold, and wakes calls that wait for a release. */
  const ending = async <T>(requestId: string, end: () => Promise<T>): Promise<T> => {
    const accountId = engine.accountOf(requestId);
    try {
      return await end();
    } finally {
      if (accountId !== undefined) queue.released(accountId);
    }
  };
  return {
    reserve(request) {
      try {
        const reserving = engine.reserve(request);
        return reserving instanceof Promise
          ? reserving.catch((error: unknown) => afterExpiry(error, () => engine.reserve(request)))
          : reserving;
      } catch (error) {
        if (!(error instanceof ExpiryDue)) throw error;
        return afterExpiry(error, () => engine.reserve(request));
      }
    },
    extend: (requestId, more, moreTokens) =>
      engine
        .extend(requestId, more, moreTokens)
        .catch((error: unknown) => afterExpiry(error, () => engine.extend(requestId, more, moreTokens)))
        .catch((error: unknown) => {
          if (error instanceof ExpiryDue && !error.isHeld) return false;
          throw error;
        }),
    endDeferral: (requestId) => engine.endDeferral(requestId),
    mark: (requestId, progress, request, tokens) => engine.mark(requestId, progress, request, tokens),
    settle: (settlement) =>
      queue.isEmpty
        ? engine.settle(settlement)
        : ending(settlement.requestId, () => engine.settle(settlement)),
    release: (requestId) =>
      queue.isEmpty ? engine.release(requestId) : ending(requestId, () => engine.release(requestId)),
    whenReleased: (waiting, attempt) => queue.whenReleased(waiting, attempt),
    flush: () => engine.flush(),
    async settleExpired(limit) {
      const due = await grants.accountsDue(store.db, Math.floor(deps.clock() / 1000), limit);
      for (const accountId of due) await change((context) => settleExpiry(context, accountId));
      return due.length;
    },
    isRefusing: () => engine.isRefusing,
    recover: () => recovery.run(),
    recoverOthers: () => recovery.runForOtherNodes(),
    recoverDead: (dead) => recovery.runForDead(dead),
    change,
    credit: (input) => change((context) => credit(context, input)),
    adjust: (input) => change((context) => adjust(context, input)),
    grantToken: (input) => change((context) => grantToken(context, input)),
    grantLimit: (input) => change((context) => grantLimit(context, input)),
    move: (input) => change((context) => move(context, input)),
    addReward: (input) => change((context) => addReward(context, input)),
    transferReward: (input) => change((context) => transferReward(context, input)),
    redeem: (input) => change((context) => redeem(context, input)),
    completeTopUp: (input) => change((context) => completeTopUp(context, input)),
    refundTopUp: (input) => change((context) => refundTopUp(context, input)),
    async close() {
      await engine.close();
      await heartbeat.end();
    },
    abandon() {
      engine.abandon();
      heartbeat.stop();
    },
  };
}

const inDollars = (quota: number): string => logQuota(quota, { inCurrency: true, perUnit: 500_000 });

/** One transaction of the slow path, repeated if its result is unknown. */
async function changeRows<T>(
  { store, clock, amountText = inDollars }: Pick<LedgerDeps, 'store' | 'clock' | 'amountText'>,
  engine: Engine,
  touched: Touched,
  work: (context: VerbContext) => Promise<T>,
): Promise<T> {
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await inTransaction(store.db, (db) =>
          work({ db, at: Math.floor(clock() / 1000), touched, repeated: attempt > 1, amountText }),
        );
      } catch (error) {
        if (attempt === tries || !store.dialect.isConnectionLost(error)) throw error;
      }
    }
  } finally {
    engine.forget(touched);
  }
}

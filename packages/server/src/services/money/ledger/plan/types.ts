import type { BudgetUnit } from '@tollgate/contract';
import type { idempotentCalls, LogTable } from '../../../../store/index.ts';

/** The hold of a request before it calls upstream. Amounts are whole, non-negative quota units. */
export interface ReserveRequest {
  requestId: string;
  accountId: number;
  userId: number;
  /** 0 for the playground, which has no token. */
  tokenId: number;
  /** The member of a team who makes the call; absent for a personal wallet. */
  memberId?: number;
  /** Ids of the budgets that apply to the call; absent for none. */
  budgets?: readonly number[] | undefined;
  channelId: number;
  /**
   * True if the caller believes that the token has no limit. The row decides: if the ledger remembers a limit, it
   * reads the row again, so that an edited token takes effect at once.
   */
  tokenUnlimited: boolean;
  amount: number;
  /** Calls that are charged from the hold; absent for one. A budget that counts calls needs room for all of them. */
  calls?: number;
  /** Tokens in and out to hold on the budgets that count tokens; absent for none. */
  tokens?: number;
  /** As `upTo`, for the tokens: out of an eighth of those that these budgets leave beside `tokens`. */
  upToTokens?: number;
  /**
   * Upper limit of the hold, out of an eighth of the amount that is free beside `amount`; absent to hold `amount`
   * exactly. For answers that cannot extend their hold: a large balance holds all of it, and a small one stays free
   * for other calls.
   */
  upTo?: number;
  /**
   * No caller waits for the hold yet: it may be deferred for a moment, until `endDeferral` or a settlement needs it. A hold
   * that is settled meanwhile shares its settlement's transaction and never becomes a row.
   */
  deferrable?: true;
  /** JSON text kept beside the hold: what recovery needs to write the log row. */
  request: string;
  /** The process that runs the request, if another process keeps the books. */
  node?: string;
}

/** A granted hold. The first byte goes to the client only once `durable` has resolved. */
export interface Reservation {
  /** Held quota units: the requested amount, and more if `upTo` allowed it. */
  readonly amount: number;
  /** Tokens held on budgets that count them. */
  readonly tokens: number;
  readonly durable: Promise<void>;
}

/** The consumption log row, written in the settlement's transaction. */
export type SettlementLog = Omit<LogTable, 'id' | 'quota' | 'refunded'>;

export interface Settlement {
  requestId: string;
  /** Actual cost in quota units. */
  amount: number;
  /** Tokens in and out, for the budgets that count them; absent for none. */
  tokens?: number | undefined;
  /** Maximum charge in quota units, set by the caller. The rest is a loss. */
  most?: number | undefined;
  /** The channel that answered. */
  channelId: number;
  /** Whether used_quota and request_count change (not for calls without usage, docs/compatibility.md#charge). */
  counts: boolean;
  /** Null if consumption is not logged (LogConsumeEnabled off) or the call needs no row. */
  log: SettlementLog | null;
  /** Tokens in and out, for the hourly sums; null if DataExportEnabled is off. */
  hourly: { modelName: string; username: string; tokens: number; at: number } | null;
  /**
   * The note of a call with an Idempotency-Key. On a database server it is written again with the charge if a failover
   * lost it. If the key belongs to another call by then, this one is not charged: no key is charged twice.
   */
  keyed?: idempotentCalls.NewIdempotentCall | undefined;
}

/** The result of a settlement. */
export interface Settled {
  /** Taken from the payer: the part of the amount that its hold and the free balance covered. */
  charged: number;
  /** The part that could not be collected and was booked as a loss. */
  writtenOff: number;
  /** The payer's balance afterwards, for the low-quota warning. */
  balance: number;
}

/**
 * The short resource: the payer's balance, the token's allowance, the member's limit, a budget, or the invitation
 * reward.
 */
export type RefusalReason = 'account' | 'token' | 'member' | 'budget' | 'reward';

/** A budget that was short. */
export interface ShortBudget {
  id: number;
  name: string;
  /** Unix seconds of the end of its window; of a sliding one, the moment from which it has room. */
  end: number;
  timeZone: string;
  /** Seconds until then; undefined for a budget with a single period, and for an amount that never has room. */
  resetsIn: number | undefined;
  isRun: boolean;
  isSliding: boolean;
  /** The cheaper model of calls that do not fit; '' to refuse them. */
  instead: string;
  unit: BudgetUnit;
  /** The limit for a window, in its unit. */
  amount: number;
  /** What it leaves beside the call, regardless of other holds, in its unit. */
  left: number;
  /** Set if the number of calls is short: the calls so far. */
  calls?: number;
}

/** An amount that the balance, the token's allowance, the member's limit, a budget or the reward does not cover. */
export class InsufficientQuota extends Error {
  readonly reason: RefusalReason;
  /** The available amount, in quota units; all three are tokens if a budget in tokens is short. */
  readonly available: number;
  readonly needed: number;
  /** Amount that would be free without the holds of other calls. */
  readonly unheld: number;
  /** Set if a budget is short. */
  readonly budget: ShortBudget | undefined;

  constructor(
    reason: RefusalReason,
    available: number,
    needed: number,
    unheld = available,
    budget?: ShortBudget,
  ) {
    super(`insufficient ${reason} quota: ${available} available, ${needed} needed`);
    this.name = 'InsufficientQuota';
    this.reason = reason;
    this.available = available;
    this.needed = needed;
    this.unheld = unheld;
    this.budget = budget;
  }

  /** The unit of the figures. */
  get unit(): BudgetUnit {
    return this.budget?.unit ?? 'quota';
  }

  /** True if only holds of other calls prevent it: it may be granted when one of them ends. */
  get isHeld(): boolean {
    return this.needed <= this.unheld;
  }

  /** The same shortage for a caller who needs another amount. */
  ofNeeded(needed: number): InsufficientQuota {
    return new InsufficientQuota(this.reason, this.available, needed, this.unheld, this.budget);
  }
}

/**
 * A hold has to wait until expired grants of its account are settled. `isDue` is false if it is only short, and the
 * figures may count calls that have ended since.
 */
export class ExpiryDue extends InsufficientQuota {
  readonly accountId: number;
  readonly isDue: boolean;

  constructor(accountId: number, isDue: boolean, available: number, needed: number, unheld: number) {
    super('account', available, needed, unheld);
    this.accountId = accountId;
    this.isDue = isDue;
  }
}

/** The ledger cannot reach its database, or its queue is full: it accepts no new money until then. Answer 503. */
export class LedgerUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the ledger is unavailable', cause === undefined ? undefined : { cause });
    this.name = 'LedgerUnavailable';
  }
}

/** A settlement of a request without a hold, or with a released one: its payer is unknown. */
export class UnknownHold extends Error {
  constructor(requestId: string) {
    super(`no hold and no settlement is known for request ${requestId}`);
    this.name = 'UnknownHold';
  }
}

/**
 * The request path of the ledger: reserve · extend · settle · release. Each can be repeated safely by request id. Money
 * only moves here and in the slow-path verbs.
 */
export interface RequestLedger {
  /**
   * Takes a hold. Resolves at once if the balance is in memory, otherwise after a query; rejects with
   * InsufficientQuota. The upstream call may start when it resolves; bytes may be delivered when `durable` resolves.
   */
  reserve(request: ReserveRequest): Reservation | Promise<Reservation>;
  /**
   * Enlarges a hold by `more` quota units, and by `moreTokens` on budgets in tokens; false if balance, allowance or limit
   * does not cover it. An enlargement of zero always succeeds, even if the balance was set below the hold. Resolves when durable. Rejects with LedgerUnavailable, also
   * if the hold is gone (ended by another process, or lost in a failover), and with InsufficientQuota if only holds of
   * other calls, or a budget, prevent it.
   */
  extend(requestId: string, more: number, moreTokens?: number): Promise<boolean>;
  /** A caller waits for this hold now: it is written with the next batch, if it is not written yet. */
  endDeferral(requestId: string): void;
  /**
   * Records the cost of the delivered output, with one of the next batches. `request` replaces the text beside the
   * hold, which explains the cost and the tokens to recovery; `tokens` are those of the output so far with its input.
   * Resolves when durable, however long that takes; at once if there is no
   * such hold. Rejects if it will never be written. A rejection may be unhandled.
   */
  mark(requestId: string, progress: number, request?: string, tokens?: number): Promise<void>;
  /**
   * Ends a hold with its actual cost and writes the log row in one transaction. Resolves when durable. The hold need
   * not be durable before; if it is refused, the settlement fails with the same error and charges nothing. A repeated
   * settlement changes nothing and returns the first result (with the present balance). In an outage a settlement
   * without a durable hold is refused with LedgerUnavailable and charges nothing. Any other rejects with
   * LedgerUnavailable after a long outage, but stays queued and is written when the database returns. Rejects with
   * UnknownHold if there is nothing to settle.
   */
  settle(settlement: Settlement): Promise<Settled>;
  /** Ends a hold at no cost. Resolves when durable. */
  release(requestId: string): Promise<void>;
  /** Waits for everything queued to be durable. */
  flush(): Promise<void>;
}

/** A caller who may disconnect while the call waits. */
export interface WaitingCaller {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** The payer that waits for a release of holds, and the reason. */
export interface Waiting {
  payer: Pick<ReserveRequest, 'accountId' | 'tokenId' | 'memberId'>;
  /** The wait ends when this caller disconnects. */
  caller?: WaitingCaller | undefined;
  /** True if the call has a hold and needs more: it takes precedence over calls that have not started. */
  isRunning?: true;
}

/** The ledger's interface for calls. */
export interface CallLedger extends RequestLedger {
  /**
   * Runs `attempt`. While only holds of other calls prevent it (`InsufficientQuota.isHeld`), it runs again when one of
   * them ends, for at most two seconds; the last run has `isLast`. Rejects with the error of the last run. Runs of one
   * attempt never overlap.
   */
  whenReleased<T>(waiting: Waiting, attempt: (isLast: boolean) => Promise<T>): Promise<T>;
}

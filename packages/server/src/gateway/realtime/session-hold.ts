import { noteProgress } from '../../services/calls/metering/index.ts';
import { type PriceSnapshot, quotaOf, type Usage, type UsageCounter, usageOf } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type Settled,
  type Settlement,
} from '../../services/money/ledger/index.ts';
import type { Caller } from '../call/index.ts';
import { lowerEstimates, quotaRefusal } from '../hold/index.ts';
import type { SessionHoldDeps } from './session-deps.ts';

/** Tokens of sound that a hold covers at first and grows by: half a minute of speech. */
const trancheTokens = 500;
/** A balance that covers the input and this much speech, about a second, is enough to start. */
const minTokens = 16;
/** After a crash, at most this much of what was delivered is not charged. */
const markEveryMs = 1_000;

/** The payer of a session, as `reserve` needs it. */
export interface Payer {
  accountId: number;
  userId: number;
  tokenId: number;
  tokenUnlimited: boolean;
  memberId: number;
  channelId: number;
  /** JSON text stored beside each hold. */
  request: string;
}

/**
 * The holds of a session. Each response is a separate request to the ledger, named after the session and a number
 * (`<id>-1`, `<id>-2` …): it has its own hold, one settlement and a log row, and every rule for calls applies to it
 * (docs/decisions/0008). The next hold is taken between two responses, because an upstream may start a response by
 * itself.
 */
export class SessionHold {
  private readonly deps: SessionHoldDeps;
  private readonly sessionId: string;
  private readonly snapshot: PriceSnapshot;
  private readonly payer: Payer;
  private readonly caller: Pick<Caller, 'maskedKey'>;
  private responseNumber = 0;
  private amount = 0;
  private isOpen = false;
  private extending: Promise<void> | undefined;
  private isExhausted = false;
  private ledgerFailed = false;
  private markedAt = 0;

  constructor(
    deps: SessionHoldDeps,
    sessionId: string,
    snapshot: PriceSnapshot,
    payer: Payer,
    caller: Pick<Caller, 'maskedKey'>,
  ) {
    this.deps = deps;
    this.sessionId = sessionId;
    this.snapshot = snapshot;
    this.payer = payer;
    this.caller = caller;
  }

  /** The request id of the current hold, or of the last one. */
  get requestId(): string {
    return `${this.sessionId}-${this.responseNumber}`;
  }

  /** True if there is no current hold. */
  get isSpent(): boolean {
    return !this.isOpen;
  }

  /**
   * Takes the hold of the next response, which will read `input`. Resolves when it is granted in memory; `durable`
   * follows. Throws the errors of docs/compatibility.md#holds.
   */
  async open(input: Partial<Usage>): Promise<{ amount: number; durable: Promise<void> }> {
    this.responseNumber += 1;
    const minAmount = this.costOf(input, minTokens);
    let amount = this.costOf(input, trancheTokens);
    for (let round = 0; ; round += 1) {
      try {
        const request = { ...this.payer, requestId: this.requestId, amount };
        const { durable } = await this.deps.ledger.reserve(request);
        this.begin(amount);
        return {
          amount,
          durable: durable.catch((cause: unknown) => Promise.reject(this.refusal(cause, amount))),
        };
      } catch (error) {
        const isShort = error instanceof InsufficientQuota && error.available >= minAmount && round < 3;
        if (!isShort) throw this.refusal(error, minAmount);
        amount = Math.min(amount, error.available);
      }
    }
  }

  private begin(amount: number): void {
    this.amount = amount;
    this.isOpen = true;
    this.isExhausted = false;
    this.ledgerFailed = false;
    this.markedAt = this.deps.clock();
  }

  /** At least one unit, so that an empty balance is refused even for a free model. */
  private costOf(input: Partial<Usage>, audioOutput: number): number {
    return Math.max(1, quotaOf(usageOf({ ...input, audioOutput }), this.snapshot));
  }

  private refusal(error: unknown, needed: number): unknown {
    if (error instanceof InsufficientQuota) return quotaRefusal(this.deps, error, needed, this.caller);
    if (error instanceof LedgerUnavailable) return refuse('ledger_unavailable');
    return error;
  }

  /**
   * True if the hold covers `used`. Requests more before the hold is used up. With `isBound`, `used` is only an upper
   * bound, so the hold is not extended for it: the count may be much lower.
   */
  coverOrExtend(used: Usage, isBound = false): boolean {
    const cost = quotaOf(used, this.snapshot);
    if (isBound && cost > this.amount) return false;
    if (cost * 5 > this.amount * 4) this.extend(Math.max(0, cost - this.amount));
    return this.isOpen && cost <= this.amount;
  }

  /** Resolves when the hold that `coverOrExtend` found too small has grown; false if it cannot grow. */
  async waitForExtension(): Promise<boolean> {
    await this.extending;
    return this.isOpen && !this.isExhausted;
  }

  /** Why the hold did not grow: the balance has no more, or the ledger is unavailable. */
  get shortage(): RelayError {
    return refuse(this.ledgerFailed ? 'ledger_unavailable' : 'insufficient_user_quota');
  }

  /** A usage whose `estimates` do not exceed the hold. */
  lowerToHold(usage: Usage, estimates: readonly UsageCounter[]): Usage {
    return lowerEstimates(usage, estimates, (lower) => quotaOf(lower, this.snapshot) <= this.amount);
  }

  /** True at most once a second, when a progress mark should be written. */
  isMarkDue(): boolean {
    const now = this.deps.clock();
    if (!this.isOpen || now - this.markedAt < markEveryMs) return false;
    this.markedAt = now;
    return true;
  }

  /**
   * Writes a progress mark with the counted usage, which a crash would charge. `requestId` is the hold that was
   * current when the count started; by now another one may be.
   */
  mark(requestId: string, delivered: Usage): void {
    if (!this.isOpen || requestId !== this.requestId) return;
    const note = noteProgress(this.payer.request, delivered, this.snapshot);
    this.deps.ledger.mark(requestId, quotaOf(delivered, this.snapshot), note);
  }

  private extend(missing: number): void {
    if (!this.isOpen || this.extending || this.isExhausted) return;
    this.extending = this.requestMore(missing).finally(() => {
      this.extending = undefined;
    });
  }

  /** The missing amount plus a tranche; if the balance does not cover a whole tranche, a part of it. */
  private async requestMore(missing: number): Promise<void> {
    const { requestId } = this;
    for (let tokens = trancheTokens; tokens >= minTokens; tokens = Math.floor(tokens / 4)) {
      const more = missing + this.costOf({}, tokens);
      // If the ledger cannot be reached, nothing beyond the hold is delivered.
      const granted = await this.deps.ledger.extend(requestId, more).catch(() => undefined);
      if (requestId !== this.requestId) return;
      if (granted) {
        this.amount += more;
        return;
      }
      this.ledgerFailed = granted === undefined;
      if (this.ledgerFailed) break;
    }
    this.isExhausted = true;
  }

  /** Ends the hold with a charge; resolves when that is durable. */
  async settle(settlement: Omit<Settlement, 'requestId'>): Promise<Settled> {
    this.isOpen = false;
    faultPoint('before-settle');
    const settled = await this.deps.ledger.settle({ ...settlement, requestId: this.requestId });
    faultPoint('settled');
    return settled;
  }

  /** Releases the current hold, if there is one. */
  async release(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.deps.ledger.release(this.requestId);
  }
}

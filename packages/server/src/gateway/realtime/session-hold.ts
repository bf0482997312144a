import { noteProgress } from '../../services/calls/metering/index.ts';
import { type PriceSnapshot, quotaOf, type Usage, type UsageCounter, usageOf } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type Settled,
  type Settlement,
  type WaitingCaller,
} from '../../services/money/ledger/index.ts';
import type { Caller, GatewayDeps } from '../call/index.ts';
import { lowerEstimates, ProgressMarks, quotaRefusal } from '../hold/index.ts';

/** Tokens of sound that a hold covers at first and grows by: half a minute of speech. */
const trancheTokens = 500;
/** A balance that covers the input and this much speech, about a second, is enough to start. */
const minTokens = 16;
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

/** A hold that was granted in memory. Amount in quota units. */
interface OpenedHold {
  amount: number;
  durable: Promise<void>;
}

/**
 * The holds of a session. Each response is a separate request to the ledger, named after the session and a number
 * (`<id>-1`, `<id>-2` …): it has its own hold, one settlement and a log row, and every rule for calls applies to it
 * (docs/decisions/0008). The next hold is taken between two responses, because an upstream may start a response by
 * itself.
 */
export class SessionHold {
  private readonly deps: GatewayDeps;
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
  private isBlocked = false;
  private marks: ProgressMarks | undefined;
  private countDelivered: () => Promise<Usage | undefined> = () => Promise.resolve(undefined);

  constructor(
    deps: GatewayDeps,
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
   * follows. Waits where other calls hold what it needs, until `caller` hangs up. Throws the errors of
   * docs/compatibility.md#holds.
   */
  async open(input: Partial<Usage>, caller?: WaitingCaller): Promise<OpenedHold> {
    this.responseNumber += 1;
    try {
      const waiting = { payer: this.payer, caller };
      return await this.deps.ledger.whenReleased(waiting, () => this.openNow(input));
    } catch (error) {
      throw this.refusal(error);
    }
  }

  private async openNow(input: Partial<Usage>): Promise<OpenedHold> {
    const minAmount = this.costOf(input, minTokens);
    let amount = this.costOf(input, trancheTokens);
    for (let round = 0; ; round += 1) {
      try {
        const request = { ...this.payer, requestId: this.requestId, amount };
        const { durable } = await this.deps.ledger.reserve(request);
        this.begin(amount);
        return {
          amount,
          durable: durable.catch((cause: unknown) => Promise.reject(this.refusal(cause) as Error)),
        };
      } catch (error) {
        if (!(error instanceof InsufficientQuota)) throw error;
        if (error.available >= minAmount && round < 3) {
          amount = Math.min(amount, error.available);
          continue;
        }
        const refused = error.ofNeeded(minAmount);
        // As of calls: whether another limit could ever pay for the least is asked of all of them.
        if (!refused.isHeld || error.needed <= minAmount) throw refused;
        amount = minAmount;
      }
    }
  }

  private begin(amount: number): void {
    this.amount = amount;
    this.isOpen = true;
    this.isExhausted = false;
    this.ledgerFailed = false;
    this.isBlocked = false;
    this.marks = new ProgressMarks(this.deps.markRounds, this.deps.clock, () => this.mark());
  }

  /** At least one unit, so that an empty balance is refused even for a free model. */
  private costOf(input: Partial<Usage>, audioOutput: number): number {
    return Math.max(1, quotaOf(usageOf({ ...input, audioOutput }), this.snapshot));
  }

  private refusal(error: unknown): unknown {
    if (error instanceof InsufficientQuota) return quotaRefusal(this.deps, error, this.caller);
    if (error instanceof LedgerUnavailable) return refuse('ledger_unavailable');
    return error;
  }

  /**
   * True if the hold covers `used`. Requests more before the hold is used up. With `isBound`, `used` is only an upper
   * bound, so the hold is not extended for it: the count may be much lower.
   */
  coverOrExtend(used: Usage, isBound = false): boolean {
    const cost = quotaOf(used, this.snapshot);
    if (this.marks?.hasFailed) {
      this.ledgerFailed = true;
      this.isExhausted = true;
      return false;
    }
    if (isBound && cost > this.amount) return false;
    if (cost * 5 > this.amount * 4) this.extend(Math.max(0, cost - this.amount));
    return this.isOpen && cost <= this.amount;
  }

  /** Resolves when the hold that `coverOrExtend` found too small has grown; false if it cannot grow. */
  async waitForExtension(): Promise<boolean> {
    await this.extending;
    return this.isOpen && !this.isExhausted;
  }

  /** Why the hold did not grow: the balance has no more, other calls hold it, or the ledger is unavailable. */
  get shortage(): RelayError {
    if (this.ledgerFailed) return refuse('ledger_unavailable');
    return refuse(this.isBlocked ? 'quota_held' : 'insufficient_user_quota');
  }

  /** A usage whose `estimates` do not exceed the hold. */
  lowerToHold(usage: Usage, estimates: readonly UsageCounter[]): Usage {
    return lowerEstimates(usage, estimates, (lower) => quotaOf(lower, this.snapshot) <= this.amount);
  }

  /** Notes that a piece was delivered. About once a second a progress mark is written, which a crash would charge. */
  noteDelivered(countDelivered: () => Promise<Usage | undefined>): void {
    this.countDelivered = countDelivered;
    if (this.isOpen) this.marks?.noteDelivered();
  }

  private async mark(): Promise<void> {
    const { requestId } = this;
    const delivered = await this.countDelivered().catch(() => undefined);
    // By now another hold may be current.
    if (!delivered || !this.isOpen || requestId !== this.requestId) return;
    const note = noteProgress(this.payer.request, delivered, this.snapshot);
    await this.deps.ledger.mark(requestId, quotaOf(delivered, this.snapshot), note);
  }

  /** Resolves when the last progress mark is on disk; undefined if more may be delivered before that. */
  whenMarked(): Promise<void> | undefined {
    return this.isOpen ? this.marks?.whenWritten() : undefined;
  }

  private extend(missing: number): void {
    if (!this.isOpen || this.extending || this.isExhausted) return;
    this.extending = this.requestMore(missing).finally(() => {
      this.extending = undefined;
    });
  }

  /**
   * The missing amount plus a tranche; if the balance does not cover a whole tranche, a part of it. Waits where other calls
   * hold all of it.
   */
  private async requestMore(missing: number): Promise<void> {
    const { requestId } = this;
    try {
      const waiting = { payer: this.payer, isRunning: true } as const;
      const more = await this.deps.ledger.whenReleased(waiting, () => this.extendNow(requestId, missing));
      if (requestId !== this.requestId) return;
      this.amount += more;
      this.isExhausted = more === 0;
    } catch (error) {
      if (requestId !== this.requestId) return;
      // If the ledger cannot be reached, nothing beyond the hold is delivered.
      this.isExhausted = true;
      this.isBlocked = error instanceof InsufficientQuota;
      this.ledgerFailed = !this.isBlocked;
    }
  }

  /** Extends the hold `requestId` by as much as there is; 0 if there is nothing. */
  private async extendNow(requestId: string, missing: number): Promise<number> {
    let refusal: InsufficientQuota | undefined;
    for (let tokens = trancheTokens; tokens >= minTokens; tokens = Math.floor(tokens / 4)) {
      const more = missing + this.costOf({}, tokens);
      refusal = undefined;
      try {
        if (await this.deps.ledger.extend(requestId, more)) return more;
      } catch (error) {
        if (!(error instanceof InsufficientQuota)) throw error;
        refusal = error;
      }
    }
    if (refusal) throw refusal;
    return 0;
  }

  private close(): void {
    this.isOpen = false;
    this.marks?.end();
  }

  /** Ends the hold with a charge; resolves when that is durable. */
  async settle(settlement: Omit<Settlement, 'requestId'>): Promise<Settled> {
    this.close();
    faultPoint('before-settle');
    const settled = await this.deps.ledger.settle({ ...settlement, requestId: this.requestId });
    faultPoint('settled');
    return settled;
  }

  /** Releases the current hold, if there is one. */
  async release(): Promise<void> {
    if (!this.isOpen) return;
    this.close();
    await this.deps.ledger.release(this.requestId);
  }
}

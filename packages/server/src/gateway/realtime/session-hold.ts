import { type PriceSnapshot, quotaOf, type Usage, type UsageCounter } from '@tollgate/contract';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import { noteProgress } from '../../services/calls/metering/index.ts';
import type { ReserveRequest, WaitingCaller } from '../../services/money/ledger/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { type Hold, ProgressMarks, takeSpokenHold, tokensOf } from '../hold/index.ts';
import { holdRefused } from '../journey/index.ts';

interface SessionHoldParts {
  deps: GatewayDeps;
  relayCall: RelayCall;
  snapshot: PriceSnapshot;
  /** The payer of the session, and the note beside each hold. */
  payer: Omit<ReserveRequest, 'amount'>;
  /** The most that the whole session may cost, in quota units; undefined for no ceiling. */
  ceiling: number | undefined;
}

/**
 * The holds of a session. Each response is a separate request to the ledger, named after the session and a number
 * (`<id>-1`, `<id>-2` …): it has its own hold, one settlement and a log row, and every rule for calls applies to it
 * (docs/decisions/0008). The next hold is taken between two responses, because an upstream may start a response by
 * itself.
 */
export class SessionHold {
  private readonly parts: SessionHoldParts;
  /** The amount that the session may still cost, in quota units; undefined without a ceiling. */
  ceilingLeft: number | undefined;
  private responseNumber = 0;
  private hold: Hold | undefined;
  private marks: ProgressMarks | undefined;
  private countDelivered: () => Promise<Usage | undefined> = () => Promise.resolve(undefined);

  constructor(parts: SessionHoldParts) {
    this.parts = parts;
    this.ceilingLeft = parts.ceiling;
  }

  /** The request id of the current hold, or of the last one. */
  get requestId(): string {
    return `${this.parts.relayCall.requestId}-${this.responseNumber}`;
  }

  /** True if there is no current hold. */
  get isSpent(): boolean {
    return this.hold === undefined;
  }

  /**
   * Takes the hold of the next response, which will read `input`. Resolves when it is granted in memory; `durable`
   * follows. Waits if other calls hold the needed amount, until `caller` disconnects. Throws the errors of
   * docs/compatibility.md#holds.
   */
  async open(
    input: Partial<Usage>,
    caller?: WaitingCaller,
  ): Promise<{ amount: number; durable: Promise<void> }> {
    const { deps, relayCall, snapshot, payer } = this.parts;
    this.responseNumber += 1;
    const request = { ...payer, requestId: this.requestId };
    const hold = await takeSpokenHold(deps, relayCall, snapshot, request, input, caller, this.ceilingLeft);
    this.hold = hold;
    this.marks = new ProgressMarks(deps.markRounds, deps.clock, () => this.mark(hold));
    const durable = hold.durable.catch((cause: unknown) => Promise.reject(holdRefused(deps, cause)));
    return { amount: hold.amount, durable };
  }

  /**
   * True if the hold covers `used`. Requests more before the hold is used up. With `isBound`, `used` is only an upper
   * bound, so the hold is not extended for it: the count may be much lower.
   */
  coverOrExtend(used: Usage, isBound = false): boolean {
    const { hold } = this;
    if (!hold) return false;
    if (this.marks?.hasFailed) {
      hold.ledgerFailed = true;
      hold.exhausted = true;
      return false;
    }
    const need = hold.needOf(used);
    const isCovered = need.quota <= hold.amount && need.tokens <= hold.tokens;
    if (isBound && !isCovered) return false;
    if (need.quota * 5 > hold.amount * 4 || need.tokens * 5 > hold.tokens * 4) hold.extend(need);
    return isCovered;
  }

  /** Resolves when the hold that `coverOrExtend` found too small has grown; false if it cannot grow. */
  async waitForExtension(): Promise<boolean> {
    const { hold } = this;
    await hold?.extending;
    return hold !== undefined && hold === this.hold && !hold.exhausted;
  }

  /** Reason why the hold did not grow: the balance has no more, other calls hold it, or the ledger is unavailable. */
  get shortage(): RelayError {
    if (this.hold?.ledgerFailed) return refuse('ledger_unavailable');
    return this.hold?.shortage ?? refuse('insufficient_user_quota');
  }

  /** A usage whose `estimates` do not exceed the hold. */
  lowerToHold(usage: Usage, estimates: readonly UsageCounter[]): Usage {
    return this.hold?.lowerToHold(usage, estimates) ?? usage;
  }

  /** Notes that a piece was delivered. About once a second a progress mark is written, which a crash would charge. */
  noteDelivered(countDelivered: () => Promise<Usage | undefined>): void {
    this.countDelivered = countDelivered;
    if (this.hold) this.marks?.noteDelivered();
  }

  private async mark(hold: Hold): Promise<void> {
    const { requestId } = this;
    const { deps, payer, snapshot } = this.parts;
    const delivered = await this.countDelivered().catch(() => undefined);
    // By now another hold may be current.
    if (!delivered || hold !== this.hold) return;
    const note = noteProgress(payer.request, delivered, snapshot);
    await deps.ledger.mark(requestId, quotaOf(delivered, snapshot), note, tokensOf(delivered));
  }

  /** Resolves when the last progress mark is on disk; undefined if more may be delivered before that. */
  whenMarked(): Promise<void> | undefined {
    return this.hold && this.marks?.whenWritten();
  }

  /** Ends the current hold, for its settlement; returns its request id. */
  close(): string {
    this.hold = undefined;
    this.marks?.end();
    return this.requestId;
  }

  /** Releases the current hold, if there is one. */
  async release(): Promise<void> {
    if (this.hold) await this.parts.deps.ledger.release(this.close());
  }
}

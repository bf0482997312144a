import { timeoutAfterReads } from '../../../../lib/processes/timeout-after-reads.ts';
import type { ProcessLink } from '../../../../lib/processes/process-link.ts';
import {
  type AvailableQuota,
  type Engine,
  type EngineSettings,
  type PayerIds,
  rowsOf,
  type Touched,
} from '../engines/engine.ts';
import { SeenFigures } from '../engines/seen-figures.ts';
import { withTimeout } from '../engines/with-timeout.ts';
import { assertAmount } from '../plan/amounts.ts';
import {
  LedgerUnavailable,
  type Reservation,
  type ReserveRequest,
  type Settled,
  type Settlement,
} from '../plan/types.ts';
import {
  errorOf,
  type ExtendedAnswer,
  type Failure,
  type GrantedAnswer,
  linkNotices,
  linkRequests,
  type Outcome,
  type SettledAnswer,
  type StepAnswer,
} from './messages.ts';
import { UnsentHolds } from './unsent-holds.ts';
import { handledResolvers } from '../engines/batch.ts';

/** A hold whose books another process keeps. */
interface LinkedHold {
  /** Numbers the holds that one request takes. */
  readonly serial: number;
  readonly payer: PayerIds;
  /** Quota units that were granted before the books had them; 0 once they have answered, and of any other hold. */
  earlyAmount: number;
  /** Resolves when the hold is durable. */
  readonly durable: PromiseWithResolvers<void>;
  isWritten: boolean;
  /** Its settlement is on its way. */
  isSettling: boolean;
  /** Why it does not stand. */
  failed: Error | undefined;
  /** Cancels the timeout that fails the hold when no answer comes in time. */
  cancelTimeout: (() => void) | undefined;
}

const newHold = (serial: number, payer: PayerIds, earlyAmount: number): LinkedHold => ({
  serial,
  payer,
  earlyAmount,
  durable: handledResolvers(),
  isWritten: false,
  isSettling: false,
  failed: undefined,
  cancelTimeout: undefined,
});

/** The process that keeps the books reports an outage first: this is beyond its own times, in ms. */
const slackMs = 1_000;

/**
 * The ledger of a process that does not write the database itself: each step goes to the one that does, by a link that
 * carries all of a turn of the event loop in one message, and is acknowledged as it is there.
 *
 * A payer who was seen to have plenty has the hold at once, and it travels with the next step of its request: so a short
 * call is one message there and one back (docs/decisions/0027).
 *
 * A first process that does not respond (it is frozen or busy) is waited for like a database that does not answer: new
 * money is refused and its holds are given back; settlements are rejected later and booked all the same.
 */
export class LinkedEngine implements Engine {
  private readonly link: ProcessLink;
  /** In ms: how long new money waits, and how long a settlement waits until it is rejected. */
  private readonly waits: { money: number; settlement: number };
  /** Of requests under way. */
  private readonly openHolds = new Map<string, LinkedHold>();
  private readonly unsent: UnsentHolds;
  /** What the last answers reported of payers. */
  private readonly seen: SeenFigures;
  /** Steps without an answer. */
  private readonly underWay = new Set<Promise<unknown>>();
  private isClosed = false;
  private taken = 0;

  constructor(link: ProcessLink, settings: EngineSettings) {
    this.link = link;
    const { reserveWaitMs, settleWaitMs } = settings;
    this.waits = { money: reserveWaitMs + slackMs, settlement: settleWaitMs + slackMs };
    this.unsent = new UnsentHolds(settings.deferMs);
    this.seen = new SeenFigures(settings);
    link.offer(linkNotices.durable, (requestId, serial, available, failure) =>
      this.durable(
        String(requestId),
        Number(serial),
        available as StepAnswer,
        failure as Failure | undefined,
      ),
    );
  }

  reserve(request: ReserveRequest): Reservation | Promise<Reservation> {
    const { requestId } = request;
    assertAmount(request.amount, request.upTo);
    const known = this.openHolds.get(requestId);
    if (known || this.isClosed) return this.reserveRemote(request, known);
    const amount = this.seen.earlyAmountFor(request);
    return amount === undefined ? this.reserveRemote(request) : this.grant(request, amount);
  }

  /** The same request again has the hold that it has. */
  private async reserveRemote(request: ReserveRequest, known?: LinkedHold): Promise<Reservation> {
    const { requestId } = request;
    const hold = known ?? this.add(request);
    this.unsent.sendNow(requestId);
    try {
      const granting = this.ask<GrantedAnswer>(linkRequests.reserve, request, hold.serial);
      const { amount, available } = await withTimeout(granting, this.waits.money);
      this.recordSeen(hold.payer, available);
      return { amount, durable: hold.durable.promise };
    } catch (error) {
      if (!known) this.drop(requestId, hold);
      throw error;
    }
  }

  /** The hold is granted before the books have it; they decide before a byte leaves. */
  private grant(request: ReserveRequest, amount: number): Reservation {
    const { requestId } = request;
    const hold = this.add(request, amount);
    this.seen.reserveUnwritten(hold.payer, amount);
    const { upTo: _decided, ...exactly } = request;
    const send = (): void => this.link.notify(linkNotices.hold, { ...exactly, amount }, hold.serial);
    if (request.deferrable) this.unsent.add(requestId, send);
    else send();
    return { amount, durable: hold.durable.promise };
  }

  private add({ requestId, accountId, tokenId, memberId = 0 }: ReserveRequest, earlyAmount = 0): LinkedHold {
    const hold = newHold((this.taken += 1), { accountId, tokenId, memberId }, earlyAmount);
    hold.cancelTimeout = timeoutAfterReads(this.waits.money, () => this.onTimeout(requestId, hold));
    this.openHolds.set(requestId, hold);
    return hold;
  }

  /** Nothing was delivered on this hold, and nothing will be. What is being settled waits for that. */
  private onTimeout(requestId: string, hold: LinkedHold): void {
    if (hold.isSettling || hold.failed) return;
    this.fail(hold, new LedgerUnavailable(new Error('the process that keeps the books does not answer')));
    // Behind whatever was asked for this request before.
    this.ask(linkRequests.release, requestId).catch(() => undefined);
  }

  private fail(hold: LinkedHold, error: Error): void {
    this.answered(hold);
    hold.failed = error;
    hold.durable.reject(error);
  }

  private drop(requestId: string, hold: LinkedHold): void {
    hold.cancelTimeout?.();
    this.openHolds.delete(requestId);
  }

  /** A request may hold anew after it gave its hold back: a notice about the former hold is not one about the present one. */
  private durable(
    requestId: string,
    serial: number,
    { available }: StepAnswer,
    failure: Failure | undefined,
  ): void {
    const hold = this.openHolds.get(requestId);
    if (hold?.serial !== serial) return;
    hold.cancelTimeout?.();
    this.recordSeen(hold.payer, available);
    this.answered(hold);
    hold.isWritten = true;
    if (!failure) {
      hold.durable.resolve();
      return;
    }
    this.fail(hold, errorOf(failure));
    // What was seen of this payer is no longer so.
    this.seen.forget(rowsOf(hold.payer));
  }

  private recordSeen(payer: PayerIds | undefined, available: AvailableQuota | undefined): void {
    if (payer && available) this.seen.recordPayer(payer, available);
  }

  private answered(hold: LinkedHold): void {
    if (hold.earlyAmount > 0) this.seen.endUnwritten(hold.payer, hold.earlyAmount);
    hold.earlyAmount = 0;
  }

  async extend(requestId: string, more: number): Promise<boolean> {
    const payer = this.openHolds.get(requestId)?.payer;
    this.unsent.sendNow(requestId);
    const extending = this.ask<ExtendedAnswer>(linkRequests.extend, requestId, more, payer);
    const { isHeld, available } = await withTimeout(extending, this.waits.money);
    this.recordSeen(payer, available);
    return isHeld;
  }

  endDeferral(requestId: string): void {
    this.unsent.sendNow(requestId);
    if (this.openHolds.get(requestId)?.isWritten === false)
      this.link.notify(linkNotices.endDeferral, requestId);
  }

  mark(requestId: string, progress: number, request?: string): Promise<void> {
    assertAmount(progress);
    this.unsent.sendNow(requestId);
    const marking = this.ask<void>(linkRequests.mark, requestId, progress, request);
    marking.catch(() => undefined);
    return marking;
  }

  async settle(settlement: Settlement): Promise<Settled> {
    const { requestId } = settlement;
    const hold = this.openHolds.get(requestId);
    try {
      if (hold?.failed) throw hold.failed;
      this.unsent.sendNow(requestId);
      if (hold) hold.isSettling = true;
      return await withTimeout(this.settleRemote(settlement, hold), this.waits.settlement);
    } catch (error) {
      // A settlement fails with its hold.
      if (!hold?.failed) throw error;
      this.ended(requestId);
      throw hold.failed;
    }
  }

  private async settleRemote(settlement: Settlement, hold: LinkedHold | undefined): Promise<Settled> {
    const payer = hold?.payer;
    const { available, ...settled } = await this.ask<SettledAnswer>(linkRequests.settle, settlement, payer);
    this.recordSeen(payer, available);
    this.ended(settlement.requestId);
    return settled;
  }

  async release(requestId: string): Promise<void> {
    if (!this.unsent.drop(requestId)) await withTimeout(this.releaseRemote(requestId), this.waits.money);
    this.ended(requestId);
  }

  private async releaseRemote(requestId: string): Promise<void> {
    const payer = this.openHolds.get(requestId)?.payer;
    const { available } = await this.ask<StepAnswer>(linkRequests.release, requestId, payer);
    this.recordSeen(payer, available);
    this.ended(requestId);
  }

  async flush(): Promise<void> {
    this.unsent.sendAll();
    if (!this.isClosed) await this.ask<void>(linkRequests.flush);
  }

  forget({ accounts, tokens, members }: Touched): void {
    this.seen.forget({ accounts, tokens, members });
    this.link.notify(linkNotices.forget, accounts, tokens, members);
  }

  /** The process that keeps the books answers for it. */
  readonly isRefusing = false;

  accountOf(requestId: string): number | undefined {
    return this.openHolds.get(requestId)?.payer.accountId;
  }

  /** What was asked is answered first; nothing else is kept here. */
  async close(): Promise<void> {
    await Promise.allSettled(this.underWay);
    this.abandon();
  }

  abandon(): void {
    this.isClosed = true;
    for (const { cancelTimeout } of this.openHolds.values()) cancelTimeout?.();
  }

  /** What ended its hold is durable, and so was the hold; the notice of that may still be on its way. */
  private ended(requestId: string): void {
    const hold = this.openHolds.get(requestId);
    if (!hold) return;
    this.answered(hold);
    hold.durable.resolve();
    this.drop(requestId, hold);
  }

  private async ask<T>(name: string, ...given: unknown[]): Promise<T> {
    if (this.isClosed) throw new LedgerUnavailable(new Error('the ledger is closed'));
    const answer = this.answerTo<T>(name, given);
    this.underWay.add(answer);
    try {
      return await answer;
    } finally {
      this.underWay.delete(answer);
    }
  }

  private async answerTo<T>(name: string, given: unknown[]): Promise<T> {
    let outcome: Outcome<T>;
    try {
      outcome = (await this.link.ask(name, ...given)) as Outcome<T>;
    } catch (error) {
      throw new LedgerUnavailable(error);
    }
    if ('failure' in outcome) throw errorOf(outcome.failure);
    return outcome.result;
  }
}

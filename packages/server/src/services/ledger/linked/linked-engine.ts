import { timeoutAfterReads } from '../../../lib/processes/timeout-after-reads.ts';
import type { ProcessLink } from '../../../lib/processes/process-link.ts';
import {
  type Engine,
  type EngineSettings,
  type PayerIds,
  type PayerLeft,
  rowsOf,
  type Touched,
} from '../engines/engine.ts';
import { SeenFigures } from '../engines/seen-figures.ts';
import { within } from '../engines/within.ts';
import { assertAmount } from '../plan/amounts.ts';
import {
  LedgerUnavailable,
  type Reservation,
  type ReserveRequest,
  type Settled,
  type Settlement,
} from '../plan/types.ts';
import { type LinkedHold, newHold } from './linked-hold.ts';
import {
  asked,
  errorOf,
  type Extended,
  type Failure,
  type Granted,
  type Left,
  type Outcome,
  notices,
  type SettledThere,
} from './messages.ts';
import { UnsentHolds } from './unsent-holds.ts';

/** What the process that keeps the books says of an outage comes first: this is beyond its own times, in ms. */
const slackMs = 1_000;

/**
 * The ledger of a process that does not write the database itself: each step goes to the one that does, by a link that
 * carries all of a turn of the event loop in one message, and is acknowledged as it is there.
 *
 * A payer who was seen to have plenty has the hold at once, and it travels with the next step of its request: so a short
 * call is one message there and one back (docs/decisions/0027).
 *
 * A first process that says nothing (it is frozen, or works at something long) is waited for as a database is that does not
 * answer: new money is refused and its holds are given back, what is owed is told so later and booked all the same.
 */
export class LinkedEngine implements Engine {
  private readonly link: ProcessLink;
  /** In ms: how long new money waits, and a settlement until its caller is told. */
  private readonly waits: { money: number; settlement: number };
  /** Of requests under way. */
  private readonly openHolds = new Map<string, LinkedHold>();
  private readonly unsent: UnsentHolds;
  /** What the last answers told of payers. */
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
    link.offer(notices.durable, (requestId, serial, left, failure) =>
      this.durable(String(requestId), Number(serial), left as Left, failure as Failure | undefined),
    );
  }

  reserve(request: ReserveRequest): Reservation | Promise<Reservation> {
    const { requestId } = request;
    assertAmount(request.amount, request.upTo);
    const known = this.openHolds.get(requestId);
    if (known || this.isClosed) return this.reserveThere(request, known);
    const amount = this.seen.plentyFor(request);
    return amount === undefined ? this.reserveThere(request) : this.grant(request, amount);
  }

  /** The same request again has the hold that it has. */
  private async reserveThere(request: ReserveRequest, known?: LinkedHold): Promise<Reservation> {
    const { requestId } = request;
    const hold = known ?? this.add(request);
    this.unsent.sendNow(requestId);
    try {
      const granting = this.ask<Granted>(asked.reserve, request, hold.serial);
      const { amount, left } = await within(granting, this.waits.money);
      this.learn(hold.payer, left);
      return { amount, durable: hold.durable.promise };
    } catch (error) {
      if (!known) this.drop(requestId, hold);
      throw error;
    }
  }

  /** The hold stands before the books have it; they have the last word before a byte leaves. */
  private grant(request: ReserveRequest, amount: number): Reservation {
    const { requestId } = request;
    const hold = this.add(request, amount);
    this.seen.asked(hold.payer, amount);
    const { upTo: _decided, ...exactly } = request;
    const send = (): void => this.link.notify(notices.hold, { ...exactly, amount }, hold.serial);
    if (request.deferrable) this.unsent.add(requestId, send);
    else send();
    return { amount, durable: hold.durable.promise };
  }

  private add({ requestId, accountId, tokenId, memberId = 0 }: ReserveRequest, early = 0): LinkedHold {
    const hold = newHold((this.taken += 1), { accountId, tokenId, memberId }, early);
    hold.off = timeoutAfterReads(this.waits.money, () => this.unheard(requestId, hold));
    this.openHolds.set(requestId, hold);
    return hold;
  }

  /** Nothing was delivered on this hold, and nothing will be. What is being settled waits for that. */
  private unheard(requestId: string, hold: LinkedHold): void {
    if (hold.isSettling || hold.failed) return;
    this.fail(hold, new LedgerUnavailable(new Error('the process that keeps the books does not answer')));
    // Behind whatever was asked for this request before.
    this.ask(asked.release, requestId).catch(() => undefined);
  }

  private fail(hold: LinkedHold, error: Error): void {
    this.answered(hold);
    hold.failed = error;
    hold.durable.reject(error);
  }

  private drop(requestId: string, hold: LinkedHold): void {
    hold.off?.();
    this.openHolds.delete(requestId);
  }

  /** A request may hold anew after it gave its hold back: news of the former one tells nothing of the present one. */
  private durable(requestId: string, serial: number, { left }: Left, failure: Failure | undefined): void {
    const hold = this.openHolds.get(requestId);
    if (hold?.serial !== serial) return;
    hold.off?.();
    this.learn(hold.payer, left);
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

  private learn(payer: PayerIds | undefined, left: PayerLeft | undefined): void {
    if (payer && left) this.seen.learnOf(payer, left);
  }

  private answered(hold: LinkedHold): void {
    if (hold.early > 0) this.seen.answered(hold.payer, hold.early);
    hold.early = 0;
  }

  async extend(requestId: string, more: number): Promise<boolean> {
    const payer = this.openHolds.get(requestId)?.payer;
    this.unsent.sendNow(requestId);
    const extending = this.ask<Extended>(asked.extend, requestId, more, payer);
    const { isHeld, left } = await within(extending, this.waits.money);
    this.learn(payer, left);
    return isHeld;
  }

  hurry(requestId: string): void {
    this.unsent.sendNow(requestId);
    if (this.openHolds.get(requestId)?.isWritten === false) this.link.notify(notices.hurry, requestId);
  }

  mark(requestId: string, progress: number, request?: string): void {
    assertAmount(progress);
    this.unsent.sendNow(requestId);
    this.link.notify(notices.mark, requestId, progress, request);
  }

  async settle(settlement: Settlement): Promise<Settled> {
    const { requestId } = settlement;
    const hold = this.openHolds.get(requestId);
    try {
      if (hold?.failed) throw hold.failed;
      this.unsent.sendNow(requestId);
      if (hold) hold.isSettling = true;
      return await within(this.settleThere(settlement, hold), this.waits.settlement);
    } catch (error) {
      // It falls with its hold.
      if (!hold?.failed) throw error;
      this.ended(requestId);
      throw hold.failed;
    }
  }

  private async settleThere(settlement: Settlement, hold: LinkedHold | undefined): Promise<Settled> {
    const payer = hold?.payer;
    const { left, ...settled } = await this.ask<SettledThere>(asked.settle, settlement, payer);
    this.learn(payer, left);
    this.ended(settlement.requestId);
    return settled;
  }

  async release(requestId: string): Promise<void> {
    if (!this.unsent.drop(requestId)) await within(this.releaseThere(requestId), this.waits.money);
    this.ended(requestId);
  }

  private async releaseThere(requestId: string): Promise<void> {
    const payer = this.openHolds.get(requestId)?.payer;
    const { left } = await this.ask<Left>(asked.release, requestId, payer);
    this.learn(payer, left);
    this.ended(requestId);
  }

  async flush(): Promise<void> {
    this.unsent.sendAll();
    if (!this.isClosed) await this.ask<void>(asked.flush);
  }

  forget({ accounts, tokens, members }: Touched): void {
    this.seen.forget({ accounts, tokens, members });
    this.link.notify(notices.forget, accounts, tokens, members);
  }

  holds(requestId: string): boolean {
    return this.openHolds.has(requestId);
  }

  /** What was asked is answered first; nothing else is kept here. */
  async close(): Promise<void> {
    await Promise.allSettled(this.underWay);
    this.abandon();
  }

  abandon(): void {
    this.isClosed = true;
    for (const { off } of this.openHolds.values()) off?.();
  }

  /** What ended its hold is durable, and so was the hold; the news of that may be on its way still. */
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

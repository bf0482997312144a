import type { ProcessLink } from '../../../lib/processes/process-link.ts';
import { silentResolvers } from '../engines/batch.ts';
import {
  type Engine,
  type EngineSettings,
  nothingTouched,
  type PayerIds,
  type Touched,
} from '../engines/engine.ts';
import { SeenFigures, type SeenRows } from '../engines/seen-figures.ts';
import { assertAmount } from '../plan/amounts.ts';
import {
  LedgerUnavailable,
  type Reservation,
  type ReserveRequest,
  type Settled,
  type Settlement,
} from '../plan/types.ts';
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

interface LinkedHold {
  /** Tells the holds apart that one request takes. */
  readonly serial: number;
  readonly accountId: number;
  /** Quota units that were granted before the books had them; 0 once they have answered, and of any other hold. */
  early: number;
  /** Resolves when the hold is durable. */
  readonly durable: PromiseWithResolvers<void>;
  isWritten: boolean;
  /** Why it does not stand. */
  failed: Error | undefined;
}

/**
 * The ledger of a process that does not write the database itself: each step goes to the one that does, by a link that
 * carries all of a turn of the event loop in one message, and is acknowledged as it is there.
 *
 * A payer who was seen to have plenty has the hold at once, and it travels with the next step of its request: so a short
 * call is one message there and one back (docs/decisions/0027).
 */
export class LinkedEngine implements Engine {
  readonly #link: ProcessLink;
  /** Of requests under way. */
  readonly #holds = new Map<string, LinkedHold>();
  readonly #unsent: UnsentHolds;
  /** What the last answers told of payers. */
  readonly #seen: SeenFigures;
  /** Steps without an answer. */
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;
  #taken = 0;

  constructor(link: ProcessLink, settings: EngineSettings) {
    this.#link = link;
    this.#unsent = new UnsentHolds(settings.deferMs);
    this.#seen = new SeenFigures(settings);
    link.offer(notices.durable, (requestId, serial, left, failure) =>
      this.#durable(String(requestId), Number(serial), left as Left, failure as Failure | undefined),
    );
  }

  reserve(request: ReserveRequest): Reservation | Promise<Reservation> {
    const { requestId } = request;
    assertAmount(request.amount, request.upTo);
    const known = this.#holds.get(requestId);
    if (known || this.#isClosed) return this.#reserveThere(request, known);
    const amount = this.#seen.plentyFor(request);
    return amount === undefined ? this.#reserveThere(request) : this.#grant(request, amount);
  }

  /** The same request again has the hold that it has. */
  async #reserveThere(request: ReserveRequest, known?: LinkedHold): Promise<Reservation> {
    const { requestId } = request;
    const hold = known ?? this.#add(request);
    this.#unsent.sendNow(requestId);
    try {
      const { amount, free } = await this.#ask<Granted>(asked.reserve, request, hold.serial);
      if (free !== undefined) this.#seen.learn(seenRowsOf(request, free));
      return { amount, durable: hold.durable.promise };
    } catch (error) {
      if (!known) this.#holds.delete(requestId);
      throw error;
    }
  }

  /** The hold stands before the books have it; they have the last word before a byte leaves. */
  #grant(request: ReserveRequest, amount: number): Reservation {
    const { requestId, accountId } = request;
    const hold = this.#add(request, amount);
    this.#seen.asked(accountId, amount);
    const { upTo: _decided, ...exactly } = request;
    const send = (): void => this.#link.notify(notices.hold, { ...exactly, amount }, hold.serial);
    if (request.deferrable) this.#unsent.add(requestId, send);
    else send();
    return { amount, durable: hold.durable.promise };
  }

  #add({ requestId, accountId }: ReserveRequest, early = 0): LinkedHold {
    const serial = (this.#taken += 1);
    const hold = {
      serial,
      accountId,
      early,
      durable: silentResolvers(),
      isWritten: false,
      failed: undefined,
    };
    this.#holds.set(requestId, hold);
    return hold;
  }

  /** A request may hold anew after it gave its hold back: news of the former one tells nothing of the present one. */
  #durable(requestId: string, serial: number, { free }: Left, failure: Failure | undefined): void {
    const hold = this.#holds.get(requestId);
    if (hold?.serial !== serial) return;
    this.#learn(hold.accountId, free);
    this.#answered(hold);
    hold.isWritten = true;
    if (!failure) {
      hold.durable.resolve();
      return;
    }
    hold.failed = errorOf(failure);
    hold.durable.reject(hold.failed);
    // What was seen of this payer is no longer so.
    this.#seen.forget({ ...nothingTouched(), accounts: new Set([hold.accountId]) });
  }

  #learn(accountId: number | undefined, free: number | undefined): void {
    if (accountId !== undefined && free !== undefined) this.#seen.learn(seenRowsOf({ accountId }, free));
  }

  #answered(hold: LinkedHold): void {
    if (hold.early > 0) this.#seen.answered(hold.accountId, hold.early);
    hold.early = 0;
  }

  async extend(requestId: string, more: number): Promise<boolean> {
    const accountId = this.#holds.get(requestId)?.accountId;
    this.#unsent.sendNow(requestId);
    const { isHeld, free } = await this.#ask<Extended>(asked.extend, requestId, more, accountId);
    this.#learn(accountId, free);
    return isHeld;
  }

  hurry(requestId: string): void {
    this.#unsent.sendNow(requestId);
    if (this.#holds.get(requestId)?.isWritten === false) this.#link.notify(notices.hurry, requestId);
  }

  mark(requestId: string, progress: number, request?: string): void {
    assertAmount(progress);
    this.#unsent.sendNow(requestId);
    this.#link.notify(notices.mark, requestId, progress, request);
  }

  async settle(settlement: Settlement): Promise<Settled> {
    const { requestId } = settlement;
    const hold = this.#holds.get(requestId);
    try {
      if (hold?.failed) throw hold.failed;
      this.#unsent.sendNow(requestId);
      const { free, ...settled } = await this.#ask<SettledThere>(asked.settle, settlement, hold?.accountId);
      this.#learn(hold?.accountId, free);
      this.#ended(requestId);
      return settled;
    } catch (error) {
      // It falls with its hold.
      if (!hold?.failed) throw error;
      this.#ended(requestId);
      throw hold.failed;
    }
  }

  async release(requestId: string): Promise<void> {
    if (!this.#unsent.drop(requestId)) {
      const accountId = this.#holds.get(requestId)?.accountId;
      const { free } = await this.#ask<Left>(asked.release, requestId, accountId);
      this.#learn(accountId, free);
    }
    this.#ended(requestId);
  }

  async flush(): Promise<void> {
    this.#unsent.sendAll();
    if (!this.#isClosed) await this.#ask<void>(asked.flush);
  }

  forget({ accounts, tokens, members }: Touched): void {
    this.#seen.forget({ accounts, tokens, members });
    this.#link.notify(notices.forget, accounts, tokens, members);
  }

  holds(requestId: string): boolean {
    return this.#holds.has(requestId);
  }

  /** What was asked is answered first; nothing else is kept here. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    this.abandon();
  }

  abandon(): void {
    this.#isClosed = true;
  }

  /** What ended its hold is durable, and so was the hold; the news of that may be on its way still. */
  #ended(requestId: string): void {
    const hold = this.#holds.get(requestId);
    if (!hold) return;
    this.#answered(hold);
    hold.durable.resolve();
    this.#holds.delete(requestId);
  }

  async #ask<T>(name: string, ...given: unknown[]): Promise<T> {
    if (this.#isClosed) throw new LedgerUnavailable(new Error('the ledger is closed'));
    const answer = this.#answerTo<T>(name, given);
    this.#underWay.add(answer);
    try {
      return await answer;
    } finally {
      this.#underWay.delete(answer);
    }
  }

  async #answerTo<T>(name: string, given: unknown[]): Promise<T> {
    let outcome: Outcome<T>;
    try {
      outcome = (await this.#link.ask(name, ...given)) as Outcome<T>;
    } catch (error) {
      throw new LedgerUnavailable(error);
    }
    if ('failure' in outcome) throw errorOf(outcome.failure);
    return outcome.result;
  }
}

/** What an answer tells of a payer whom nothing but the account limits. */
function seenRowsOf({ accountId, tokenId = 0, memberId = 0 }: PayerIds, free: number): SeenRows {
  const unlimited = (id: number) => (id === 0 ? [] : [{ id, unlimited: true }]);
  return {
    accounts: [{ id: accountId, balance: free, held: 0 }],
    tokens: unlimited(tokenId),
    members: unlimited(memberId),
  };
}

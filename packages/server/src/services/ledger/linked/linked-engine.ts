import type { ProcessLink } from '../../../lib/processes/process-link.ts';
import { type Gate, newGate } from '../engines/batch.ts';
import type { Engine, Touched } from '../engines/engine.ts';
import { assertAmount } from '../plan/amounts.ts';
import {
  LedgerUnavailable,
  type Reservation,
  type ReserveRequest,
  type Settled,
  type Settlement,
} from '../plan/types.ts';
import { asked, errorOf, type Failure, type Outcome, notices } from './messages.ts';

interface LinkedHold {
  /** Tells the holds apart that one request takes. */
  readonly serial: number;
  /** Kept when the hold is durable. */
  readonly gate: Gate;
  isWritten: boolean;
}

/**
 * The ledger of a process that does not write the database itself: each step goes to the one that does, by a link that
 * carries all of a turn of the event loop in one message, and is acknowledged as it is there.
 */
export class LinkedEngine implements Engine {
  readonly #link: ProcessLink;
  /** Of requests under way. */
  readonly #holds = new Map<string, LinkedHold>();
  /** Steps without an answer. */
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;
  #taken = 0;

  constructor(link: ProcessLink) {
    this.#link = link;
    link.offer(notices.durable, (requestId, serial, failure) =>
      this.#durable(String(requestId), Number(serial), failure as Failure | undefined),
    );
  }

  async reserve(request: ReserveRequest): Promise<Reservation> {
    const { requestId } = request;
    assertAmount(request.amount, request.upTo);
    // The same request again has the hold that it has.
    const known = this.#holds.get(requestId);
    const hold = known ?? { serial: (this.#taken += 1), gate: newGate(), isWritten: false };
    this.#holds.set(requestId, hold);
    try {
      const amount = await this.#ask<number>(asked.reserve, request, hold.serial);
      return { amount, durable: hold.gate.promise };
    } catch (error) {
      if (!known) this.#holds.delete(requestId);
      throw error;
    }
  }

  /** A request may hold anew after it gave its hold back: news of the former one tells nothing of the present one. */
  #durable(requestId: string, serial: number, failure: Failure | undefined): void {
    const hold = this.#holds.get(requestId);
    if (hold?.serial !== serial) return;
    hold.isWritten = true;
    if (failure) hold.gate.reject(errorOf(failure));
    else hold.gate.resolve();
  }

  extend(requestId: string, more: number): Promise<boolean> {
    return this.#ask<boolean>(asked.extend, requestId, more);
  }

  hurry(requestId: string): void {
    if (this.#holds.get(requestId)?.isWritten === false) this.#link.notify(notices.hurry, requestId);
  }

  mark(requestId: string, progress: number, request?: string): void {
    assertAmount(progress);
    this.#link.notify(notices.mark, requestId, progress, request);
  }

  async settle(settlement: Settlement): Promise<Settled> {
    const settled = await this.#ask<Settled>(asked.settle, settlement);
    this.#ended(settlement.requestId);
    return settled;
  }

  async release(requestId: string): Promise<void> {
    await this.#ask<void>(asked.release, requestId);
    this.#ended(requestId);
  }

  async flush(): Promise<void> {
    if (!this.#isClosed) await this.#ask<void>(asked.flush);
  }

  forget({ accounts, tokens, members }: Touched): void {
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
    this.#holds.get(requestId)?.gate.resolve();
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

import type { AccountEntry, MeterEntry } from '../plan/books.ts';
import { amountWithin } from '../plan/plan.ts';
import type { ReserveRequest } from '../plan/types.ts';
import type { EngineSettings, Touched } from './engine.ts';

/** What a transaction of this process saw of a row, and when by performance.now(). */
interface Seen<T> {
  at: number;
  value: T;
}

/** Rows as they were seen. */
export interface SeenRows {
  readonly accounts: Iterable<Pick<AccountEntry, 'id' | 'balance' | 'held'>>;
  readonly tokens: Iterable<Pick<MeterEntry, 'id' | 'unlimited'>>;
  readonly members: Iterable<Pick<MeterEntry, 'id' | 'unlimited'>>;
}

/**
 * What this process saw last of accounts, and which tokens and members had no limit. Other processes
 * move the rows behind its back, so it only says for which holds it is safe enough not to wait; the rows decide.
 */
export class SeenFigures {
  readonly #settings: EngineSettings;
  /** Quota units that an account left free beside its holds. */
  readonly #free = new Map<number, Seen<number>>();
  /** True where there is no limit. */
  readonly #tokens = new Map<number, Seen<boolean>>();
  readonly #members = new Map<number, Seen<boolean>>();
  /** Quota units of holds that were asked for and are not written yet, by account. */
  readonly #unwritten = new Map<number, number>();

  constructor(settings: EngineSettings) {
    this.#settings = settings;
  }

  /** The last step on these rows has left them so. */
  learn({ accounts, tokens, members }: SeenRows): void {
    const at = performance.now();
    for (const { id, balance, held } of accounts) this.#put(this.#free, id, { at, value: balance - held });
    for (const { id, unlimited } of tokens) this.#put(this.#tokens, id, { at, value: unlimited });
    for (const { id, unlimited } of members) this.#put(this.#members, id, { at, value: unlimited });
  }

  /** Rows that something else has changed. */
  forget({ accounts, tokens, members }: Touched): void {
    for (const id of accounts) this.#free.delete(id);
    for (const id of tokens) this.#tokens.delete(id);
    for (const id of members) this.#members.delete(id);
  }

  /**
   * What a hold takes, in quota units, where it may be granted before it is written: the payer was seen a short while ago to
   * have many times as much, and no token or member limits the call. Undefined where the rows must be asked first.
   */
  plentyFor(request: ReserveRequest): number | undefined {
    const { accountId, tokenId, memberId = 0, tokenUnlimited } = request;
    if (tokenId !== 0 && !(tokenUnlimited && this.#fresh(this.#tokens, tokenId))) return undefined;
    if (memberId !== 0 && !this.#fresh(this.#members, memberId)) return undefined;
    const seen = this.#fresh(this.#free, accountId);
    if (seen === undefined) return undefined;
    const free = seen - (this.#unwritten.get(accountId) ?? 0);
    const amount = amountWithin(free, request);
    return amount * this.#settings.plenty <= free ? amount : undefined;
  }

  /** A hold waits to be written. */
  asked(accountId: number, amount: number): void {
    this.#unwritten.set(accountId, (this.#unwritten.get(accountId) ?? 0) + amount);
  }

  /** It waits no more: what was learned has it, or it was refused. */
  answered(accountId: number, amount: number): void {
    const left = (this.#unwritten.get(accountId) ?? 0) - amount;
    if (left > 0) this.#unwritten.set(accountId, left);
    else this.#unwritten.delete(accountId);
  }

  #fresh<T>(map: ReadonlyMap<number, Seen<T>>, id: number): T | undefined {
    const seen = map.get(id);
    return seen && performance.now() - seen.at <= this.#settings.trustMs ? seen.value : undefined;
  }

  /** Keeps the newest; the oldest goes where there are too many. */
  #put<T>(map: Map<number, Seen<T>>, id: number, seen: Seen<T>): void {
    map.delete(id);
    map.set(id, seen);
    if (map.size <= this.#settings.maxKnown) return;
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
}

import { callsLeft, freeOf } from '../plan/budgets.ts';
import { type Books, usable } from '../plan/books.ts';
import { amountWithin, availableOf } from '../plan/plan.ts';
import type { Reservation, ReserveRequest } from '../plan/types.ts';
import type { EngineSettings, PayerIds, Touched } from './engine.ts';

/** What a hold has of quota and of tokens. */
type HeldAmounts = Pick<Reservation, 'amount' | 'tokens'>;

/** Last seen rows of one kind. An id of 0 is no row, and limits nothing. */
class SeenRows {
  private readonly settings: EngineSettings;
  /**
   * What a row leaves free beside its holds, the time of reading by performance.now(), and the Unix seconds of its
   * end.
   */
  private readonly seen = new Map<number, { free: number; at: number; until: number }>();
  /** Amounts of requested holds that are not written yet. */
  private readonly unwritten = new Map<number, number>();

  constructor(settings: EngineSettings) {
    this.settings = settings;
  }

  /** Keeps the newest entries; the oldest is removed above the limit. */
  record(id: number, free: number, at: number, until = Infinity): void {
    if (id === 0) return;
    this.seen.delete(id);
    this.seen.set(id, { free, at, until });
    if (this.seen.size <= this.settings.maxKnown) return;
    const [oldest] = this.seen.keys();
    if (oldest !== undefined) this.seen.delete(oldest);
  }

  forget(ids: Iterable<number>): void {
    for (const id of ids) this.seen.delete(id);
  }

  /** Recently read figures minus unwritten changes; less than any amount if there are none. */
  free(id: number, seconds = 0): number {
    if (id === 0) return Infinity;
    const seen = this.seen.get(id);
    if (!seen || seconds >= seen.until || performance.now() - seen.at > this.settings.seenMaxAgeMs)
      return -Infinity;
    return seen.free - (this.unwritten.get(id) ?? 0);
  }

  reserveUnwritten(id: number, amount: number): void {
    if (id !== 0) this.unwritten.set(id, (this.unwritten.get(id) ?? 0) + amount);
  }

  endUnwritten(id: number, amount: number): void {
    const left = (this.unwritten.get(id) ?? 0) - amount;
    if (left > 0) this.unwritten.set(id, left);
    else this.unwritten.delete(id);
  }
}

/**
 * Last seen figures of accounts, tokens and members. Other processes change the rows meanwhile, so they only decide
 * which holds may be granted without waiting; the rows have the final decision.
 */
export class SeenFigures {
  private readonly earlyHoldMultiple: number;
  private readonly accounts: SeenRows;
  private readonly tokens: SeenRows;
  private readonly members: SeenRows;
  /** Each budget is in both: free quota units, or tokens, and no limit of the other. */
  private readonly budgets: SeenRows;
  private readonly tokenBudgets: SeenRows;

  constructor(settings: EngineSettings) {
    this.earlyHoldMultiple = settings.earlyHoldMultiple;
    this.accounts = new SeenRows(settings);
    this.tokens = new SeenRows(settings);
    this.members = new SeenRows(settings);
    this.budgets = new SeenRows(settings);
    this.tokenBudgets = new SeenRows(settings);
  }

  /** Records the rows after the last step on them. */
  record({
    accounts,
    tokens,
    members,
    budgets,
  }: Pick<Books, 'accounts' | 'tokens' | 'members' | 'budgets'>): void {
    const at = performance.now();
    for (const account of accounts.values()) {
      const { id, held, nextExpiry } = account;
      this.accounts.record(id, usable(account) - held, at, nextExpiry === 0 ? Infinity : nextExpiry);
    }
    for (const token of tokens.values()) this.tokens.record(token.id, availableOf(token), at);
    for (const member of members.values()) this.members.record(member.id, availableOf(member), at);
    for (const budget of budgets.values()) {
      const { id, windowEnd: until } = budget;
      const free = callsLeft(budget) < this.earlyHoldMultiple ? -Infinity : freeOf(budget);
      const inTokens = budget.unit === 'tokens';
      this.budgets.record(id, inTokens ? Infinity : free, at, until);
      this.tokenBudgets.record(id, inTokens ? free : Infinity, at, until);
    }
  }

  /** Forgets rows that another operation has changed. */
  forget({ accounts, tokens, members, budgets }: Touched): void {
    this.accounts.forget(accounts);
    this.tokens.forget(tokens);
    this.members.forget(members);
    this.budgets.forget(budgets);
    this.tokenBudgets.forget(budgets);
  }

  /**
   * The amounts of a hold if it may be granted before it is written: account, token, member and budgets each had many
   * times that amount a short while ago. Undefined if the rows must be read first.
   */
  earlyAmounts(request: ReserveRequest, seconds: number): HeldAmounts | undefined {
    const { accountId, tokenId, memberId = 0, budgets = [], tokenUnlimited } = request;
    const token = this.tokens.free(tokenId);
    // The caller's data or the remembered figures are outdated.
    if (tokenId !== 0 && tokenUnlimited !== (token === Infinity)) return undefined;
    let free = Math.min(this.accounts.free(accountId, seconds), token, this.members.free(memberId));
    let freeTokens = Infinity;
    for (const id of budgets) {
      free = Math.min(free, this.budgets.free(id, seconds));
      freeTokens = Math.min(freeTokens, this.tokenBudgets.free(id, seconds));
    }
    const amount = amountWithin(free, request.amount, request.upTo);
    const tokens = amountWithin(freeTokens, request.tokens ?? 0, request.upToTokens);
    const isEarly = (part: number, of: number): boolean => part * this.earlyHoldMultiple <= of;
    return isEarly(amount, free) && isEarly(tokens, freeTokens) ? { amount, tokens } : undefined;
  }

  /** Counts a hold that is not written yet. */
  reserveUnwritten(
    { accountId, tokenId, memberId = 0, budgets = [] }: PayerIds,
    { amount, tokens }: HeldAmounts,
  ): void {
    this.accounts.reserveUnwritten(accountId, amount);
    this.tokens.reserveUnwritten(tokenId, amount);
    this.members.reserveUnwritten(memberId, amount);
    for (const id of budgets) {
      this.budgets.reserveUnwritten(id, amount);
      this.tokenBudgets.reserveUnwritten(id, tokens);
    }
  }

  /** Stops counting a hold: the recorded figures include it, or it was refused. */
  endUnwritten(
    { accountId, tokenId, memberId = 0, budgets = [] }: PayerIds,
    { amount, tokens }: HeldAmounts,
  ): void {
    this.accounts.endUnwritten(accountId, amount);
    this.tokens.endUnwritten(tokenId, amount);
    this.members.endUnwritten(memberId, amount);
    for (const id of budgets) {
      this.budgets.endUnwritten(id, amount);
      this.tokenBudgets.endUnwritten(id, tokens);
    }
  }
}

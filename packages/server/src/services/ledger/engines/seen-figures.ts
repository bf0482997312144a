import type { Books } from '../plan/books.ts';
import { amountWithin, leftOf } from '../plan/plan.ts';
import type { ReserveRequest } from '../plan/types.ts';
import type { EngineSettings, PayerIds, PayerLeft, Touched } from './engine.ts';

/** What this process saw last of one kind of row. An id of 0 is no row, and limits nothing. */
class SeenRows {
  private readonly settings: EngineSettings;
  /** Quota units that a row left free beside its holds, and when that was by performance.now(). */
  private readonly seen = new Map<number, { free: number; at: number }>();
  /** Quota units of holds that were asked for and are not written yet. */
  private readonly unwritten = new Map<number, number>();

  constructor(settings: EngineSettings) {
    this.settings = settings;
  }

  /** Keeps the newest; the oldest goes where there are too many. */
  learn(id: number, free: number, at: number): void {
    if (id === 0) return;
    this.seen.delete(id);
    this.seen.set(id, { free, at });
    if (this.seen.size <= this.settings.maxKnown) return;
    const [oldest] = this.seen.keys();
    if (oldest !== undefined) this.seen.delete(oldest);
  }

  forget(ids: Iterable<number>): void {
    for (const id of ids) this.seen.delete(id);
  }

  /** What was seen a short while ago, less what is not written yet; less than anything where nothing was. */
  free(id: number): number {
    if (id === 0) return Infinity;
    const seen = this.seen.get(id);
    if (!seen || performance.now() - seen.at > this.settings.trustMs) return -Infinity;
    return seen.free - (this.unwritten.get(id) ?? 0);
  }

  asked(id: number, amount: number): void {
    if (id !== 0) this.unwritten.set(id, (this.unwritten.get(id) ?? 0) + amount);
  }

  answered(id: number, amount: number): void {
    const left = (this.unwritten.get(id) ?? 0) - amount;
    if (left > 0) this.unwritten.set(id, left);
    else this.unwritten.delete(id);
  }
}

/**
 * What this process saw last of accounts, tokens and members. Other processes move the rows behind its back, so it only
 * says for which holds it is safe enough not to wait; the rows decide.
 */
export class SeenFigures {
  private readonly plenty: number;
  private readonly accounts: SeenRows;
  private readonly tokens: SeenRows;
  private readonly members: SeenRows;

  constructor(settings: EngineSettings) {
    this.plenty = settings.plenty;
    this.accounts = new SeenRows(settings);
    this.tokens = new SeenRows(settings);
    this.members = new SeenRows(settings);
  }

  /** The last step on these rows has left them so. */
  learn({ accounts, tokens, members }: Pick<Books, 'accounts' | 'tokens' | 'members'>): void {
    const at = performance.now();
    for (const { id, balance, held } of accounts.values()) this.accounts.learn(id, balance - held, at);
    for (const token of tokens.values()) this.tokens.learn(token.id, leftOf(token), at);
    for (const member of members.values()) this.members.learn(member.id, leftOf(member), at);
  }

  /** The last step for this payer has left them so. */
  learnOf({ accountId, tokenId, memberId = 0 }: PayerIds, left: PayerLeft): void {
    const at = performance.now();
    this.accounts.learn(accountId, left.account, at);
    this.tokens.learn(tokenId, left.token, at);
    this.members.learn(memberId, left.member, at);
  }

  /** Rows that something else has changed. */
  forget({ accounts, tokens, members }: Touched): void {
    this.accounts.forget(accounts);
    this.tokens.forget(tokens);
    this.members.forget(members);
  }

  /**
   * What a hold takes, in quota units, where it may be granted before it is written: account, token and member were each
   * seen a short while ago to have many times as much. Undefined where the rows must be asked first.
   */
  plentyFor(request: ReserveRequest): number | undefined {
    const { accountId, tokenId, memberId = 0, tokenUnlimited } = request;
    const token = this.tokens.free(tokenId);
    // Either the caller or what was seen is out of date.
    if (tokenId !== 0 && tokenUnlimited !== (token === Infinity)) return undefined;
    const free = Math.min(this.accounts.free(accountId), token, this.members.free(memberId));
    const amount = amountWithin(free, request);
    return amount * this.plenty <= free ? amount : undefined;
  }

  /** A hold waits to be written. */
  asked({ accountId, tokenId, memberId = 0 }: PayerIds, amount: number): void {
    this.accounts.asked(accountId, amount);
    this.tokens.asked(tokenId, amount);
    this.members.asked(memberId, amount);
  }

  /** It waits no more: what was learned has it, or it was refused. */
  answered({ accountId, tokenId, memberId = 0 }: PayerIds, amount: number): void {
    this.accounts.answered(accountId, amount);
    this.tokens.answered(tokenId, amount);
    this.members.answered(memberId, amount);
  }
}

import {
  holdFor,
  inputTokens,
  inputUsage,
  usageOf,
  isBelievable,
  type PriceExtras,
  type PriceSnapshot,
  quotaOf,
  type Usage,
  type UsageCounter,
} from '@tollgate/contract';
import type { RequestLedger } from '../../services/ledger/index.ts';
import { lowered } from './lowered.ts';
import type { MediaTokens } from './media-tokens.ts';

/** Output tokens that a hold grows by while streaming, at least; long answers grow by a quarter of what they have. */
const trancheTokens = 2_000;
/** A balance that does not cover even this many tokens more has ended. */
const leastTranche = 16;
/** As many tokens as are said to be paid for where output costs nothing. */
const freeTokens = 1_000_000;
/** More than any answer has. */
const maxTokens = 2 ** 31;

/** What a hold begins with. */
export interface HoldParts {
  ledger: Pick<RequestLedger, 'extend'>;
  requestId: string;
  snapshot: PriceSnapshot;
  note: string;
  extras: PriceExtras | undefined;
  /** Input tokens that are held for: a true bound, or counted. */
  inputTokens: number;
  /** Quota units. */
  amount: number;
  isPartial: boolean;
  /** True when the ledger gave all that the longest answer may cost. */
  isPlenty?: boolean;
}

/** The hold of one running request: how much it covers, and how it grows. */
export class Hold {
  readonly durable: Promise<void>;
  /** The text beside the hold: what recovery makes a row of. */
  readonly note: string;
  /** Input tokens that are held for. */
  inputTokens: number;
  /** Input tokens as we count them, where somebody has. */
  countedInput: number | undefined;
  /** Quota units held now. */
  amount: number;
  /** True when an extension was refused since the last delivery: what is held is all there is. */
  exhausted = false;
  /** True when the balance did not cover what such a request holds at first. */
  isPartial: boolean;
  /** True while the balance has plenty: then more is held than is likely, and nothing has to be counted. */
  isPlenty: boolean;
  /** Resolves when the extension that runs is over, whatever came of it. */
  extending: Promise<void> | undefined;
  private readonly ledger: Pick<RequestLedger, 'extend'>;
  private readonly requestId: string;
  readonly snapshot: PriceSnapshot;
  private readonly extras: PriceExtras | undefined;
  /** The input as the vendor reported it: counts instead of ours. */
  private reportedInput: Usage | undefined;
  /** What the vendor has reported so far, in quota units. */
  private reported = 0;

  constructor(parts: HoldParts, durable: Promise<void>) {
    this.ledger = parts.ledger;
    this.requestId = parts.requestId;
    this.snapshot = parts.snapshot;
    this.note = parts.note;
    this.extras = parts.extras;
    this.inputTokens = parts.inputTokens;
    this.amount = parts.amount;
    this.isPartial = parts.isPartial;
    this.isPlenty = parts.isPlenty ?? false;
    this.durable = durable;
  }

  /** What the request has cost at most, with so many output tokens of text, and images and sound besides. */
  costAt(outputTokens: number, media?: MediaTokens): number {
    if (this.reportedInput || media) {
      const input = this.reportedInput ?? usageOf({ input: this.inputTokens });
      return quotaOf({ ...input, ...media, output: outputTokens }, this.snapshot, this.extras);
    }
    return holdFor(this.snapshot, this.inputTokens, outputTokens, this.extras);
  }

  /** What so many output tokens cost beside the input of this call, whose length may decide their price. */
  private costOfOutput(tokens: number): number {
    const { snapshot, extras } = this;
    if (snapshot.contextTiers === undefined && extras?.tier === undefined)
      return holdFor(snapshot, 0, tokens);
    const context = this.reportedInput ? inputTokens(this.reportedInput) : this.inputTokens;
    const tier = this.reportedInput?.tier ?? extras?.tier;
    return holdFor(snapshot, 0, tokens, { context, ...(tier !== undefined && { tier }) });
  }

  /** Notes what the vendor reports, of the whole call or of its input alone; what cannot be is not believed. */
  learn(usage: Usage): void {
    if (!isBelievable(usage)) return;
    // A vendor may tell the output alone.
    if (inputTokens(usage) > 0) this.reportedInput = inputUsage(usage);
    this.reported = this.costOf(usage);
  }

  /** True when what the vendor has reported so far is held for. */
  get coversReported(): boolean {
    return this.reported <= this.amount;
  }

  /** What a usage costs at the prices of this call. */
  costOf(usage: Usage): number {
    return quotaOf(usage, this.snapshot, this.extras);
  }

  /** A usage of which `estimates` are lowered, one after the other, as far as the hold does not pay for it. */
  within(usage: Usage, estimates: readonly UsageCounter[]): Usage {
    return lowered(usage, estimates, (lower) => this.costOf(lower) <= this.amount);
  }

  /**
   * Output tokens that are still covered beyond `outputTokens` and `media`, rounded down; below 0 where those are not
   * covered, large when output is free.
   */
  tokensLeft(outputTokens: number, media?: MediaTokens): number {
    const perMillion = this.costOfOutput(1_000_000);
    const left = this.amount - this.costAt(outputTokens, media);
    // Sound has a price of its own.
    if (perMillion <= 0 || this.snapshot.mode === 'call') return media && left < 0 ? left : freeTokens;
    // Costs are rounded: the last unit may be used up already.
    return Math.floor(((left > 0 ? left - 1 : left) * 1_000_000) / perMillion);
  }

  /** True where so many output tokens are surely paid for; for numbers beyond what is usual `paidTokens` must be asked. */
  pays(outputTokens: number): boolean {
    return outputTokens <= freeTokens && this.costAt(outputTokens) <= this.amount;
  }

  /** Output tokens that the hold pays for, to the unit; a million where output costs nothing. */
  get paidTokens(): number {
    const guess = Math.max(0, this.tokensLeft(0));
    if (this.snapshot.mode === 'call' || this.costOfOutput(1_000_000) <= 0) return guess;
    // Costs are rounded, so that the guess is near but seldom exact, and the caller gets all that is paid for.
    let tokens = this.costAt(guess) <= this.amount ? guess : 0;
    for (let step = 1; step >= 1 && tokens < maxTokens;) {
      const isPaid = this.costAt(tokens + step) <= this.amount;
      if (isPaid) tokens += step;
      step = isPaid ? step * 2 : Math.floor(step / 2);
    }
    return tokens;
  }

  /**
   * Grows the hold to `cost` and a tranche beyond, or by as much as there is; one extension runs at a time, and none
   * after one that was refused.
   */
  extend(cost = 0): void {
    if (this.extending || this.exhausted) return;
    this.extending = this.grow(Math.max(0, cost - this.amount, this.reported - this.amount))
      .catch(() => {
        // The ledger cannot be reached: deliver what is held and no more.
        this.exhausted = true;
      })
      .finally(() => {
        this.extending = undefined;
      });
  }

  private async grow(missing: number): Promise<void> {
    const tranche = Math.max(trancheTokens, Math.floor(this.tokensLeft(0) / 4));
    const least = Math.max(1, this.costOfOutput(leastTranche));
    const most = missing + Math.max(1, this.costOfOutput(tranche));
    for (let more = most; ; more = Math.max(least, Math.floor(more / 4))) {
      if (await this.ledger.extend(this.requestId, more)) {
        this.amount += more;
        return;
      }
      this.isPlenty = false;
      if (more <= least) break;
    }
    const isGranted = missing > 0 && missing < least && (await this.ledger.extend(this.requestId, missing));
    if (isGranted) this.amount += missing;
    else this.exhausted = true;
  }
}

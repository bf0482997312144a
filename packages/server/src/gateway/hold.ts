import type { PriceExtras, PriceSnapshot } from '@tollgate/contract';
import { holdFor } from '@tollgate/contract';
import type { RequestFacts } from '../relay/model/protocol.ts';
import { refuse, type RelayError } from '../relay/model/relay-error.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type RequestLedger,
  type Reservation,
  type ReserveRequest,
} from '../services/ledger/index.ts';
import { growsByTokens } from './afford.ts';
import { extrasOf } from './media.ts';
import type { CountedRequest, Exchange } from './types.ts';

/** Output tokens a hold covers at first and grows by while streaming (money.md, decision 4). */
const trancheTokens = 2_000;
/** A balance that does not cover a tranche may cover a part of it. */
const smallerTranches = [500, 125];
/** An answer that does not stream cannot extend its hold on the way, so more is held at once. */
const wholeAnswerTokens = 8_000;
/** What such an answer may come to without a bound of the caller's: held as far as the balance has plenty. */
const longAnswerTokens = 32_000;
/** As many tokens as are said to be paid for where output costs nothing. */
const freeTokens = 1_000_000;
/** More than any answer has. */
const maxTokens = 2 ** 31;
/** A balance that covers the input and this much output is enough to begin. */
const leastOutputTokens = 16;

/** The hold of one running request: how much it covers, and how it grows. */
export class Hold {
  readonly durable: Promise<void>;
  readonly inputTokens: number;
  /** Quota units held now. */
  amount: number;
  /** True when an extension was refused: what is held is all there is. */
  exhausted = false;
  /** True when the balance did not cover what such a request holds at first. */
  readonly isPartial: boolean;
  /** Kept when the extension that runs is over, whatever came of it. */
  extending: Promise<void> | undefined;
  private readonly ledger: RequestLedger;
  private readonly requestId: string;
  private readonly snapshot: PriceSnapshot;
  private readonly extras: PriceExtras | undefined;

  constructor(
    parts: {
      ledger: RequestLedger;
      requestId: string;
      snapshot: PriceSnapshot;
      extras: PriceExtras | undefined;
      inputTokens: number;
      amount: number;
      isPartial: boolean;
    },
    durable: Promise<void>,
  ) {
    this.ledger = parts.ledger;
    this.requestId = parts.requestId;
    this.snapshot = parts.snapshot;
    this.extras = parts.extras;
    this.inputTokens = parts.inputTokens;
    this.amount = parts.amount;
    this.isPartial = parts.isPartial;
    this.durable = durable;
  }

  /** What the request has cost so far, by the estimate. */
  costAt(outputTokens: number): number {
    return holdFor(this.snapshot, this.inputTokens, outputTokens, this.extras);
  }

  /** True when the hold covers an answer as long as `facts` allows it to be. */
  coversAll({ facts }: Pick<Exchange, 'facts'>): boolean {
    // Images and sound are held whole: no byte of them says how many tokens it is.
    if (facts.media) return true;
    return facts.maxOutputTokens > 0 && this.amount >= this.costAt(facts.maxOutputTokens * facts.choices);
  }

  /** Output tokens that are still covered beyond `outputTokens`; large when output is free. */
  tokensLeft(outputTokens: number): number {
    const perMillion = holdFor(this.snapshot, 0, 1_000_000);
    if (perMillion <= 0 || this.snapshot.mode === 'call') return freeTokens;
    return Math.floor(((this.amount - this.costAt(outputTokens)) * 1_000_000) / perMillion);
  }

  /** True where so many output tokens are surely paid for; for numbers beyond what is usual `paidTokens` must be asked. */
  pays(outputTokens: number): boolean {
    return outputTokens <= freeTokens && this.costAt(outputTokens) <= this.amount;
  }

  /** Output tokens that the hold pays for, to the unit; a million where output costs nothing. */
  get paidTokens(): number {
    const guess = Math.max(0, this.tokensLeft(0));
    if (this.snapshot.mode === 'call' || holdFor(this.snapshot, 0, 1_000_000) <= 0) return guess;
    // Costs are rounded, so that the guess is near but seldom exact, and the caller gets all that is paid for.
    let tokens = this.costAt(guess) <= this.amount ? guess : 0;
    for (let step = 1; step >= 1 && tokens < maxTokens;) {
      const isPaid = this.costAt(tokens + step) <= this.amount;
      if (isPaid) tokens += step;
      step = isPaid ? step * 2 : Math.floor(step / 2);
    }
    return tokens;
  }

  /** Grows the hold by `missing` tokens and a tranche, or by as much as there is; one extension runs at a time. */
  extend(missing: number): void {
    if (this.extending || this.exhausted) return;
    this.extending = this.grow(missing)
      .catch(() => {
        // The ledger cannot be reached: deliver what is held and no more.
        this.exhausted = true;
      })
      .finally(() => {
        this.extending = undefined;
      });
  }

  private async grow(missing: number): Promise<void> {
    for (const tokens of [missing + trancheTokens, ...smallerTranches]) {
      const more = Math.max(1, holdFor(this.snapshot, 0, tokens));
      if (await this.ledger.extend(this.requestId, more)) {
        this.amount += more;
        return;
      }
    }
    this.exhausted = true;
  }
}

export interface HoldDeps {
  ledger: RequestLedger;
  countPrompt(request: CountedRequest): Promise<number>;
  /** Option PreConsumedQuota: output tokens that are held at least, within the caller's own bound. */
  preConsumedTokens(): number;
  /** An amount in words, for refusals (wire-facts 6.7). */
  showQuota(amount: number): string;
}

/** What a request would like to hold, and what for. */
interface Wish {
  deps: HoldDeps;
  exchange: Exchange;
  snapshot: PriceSnapshot;
  request: Omit<ReserveRequest, 'amount'>;
  extras: PriceExtras | undefined;
  output: OutputTokens;
}

/**
 * Takes the hold of a request. A large max_tokens alone never refuses anyone: what is asked for is a tranche, and
 * a balance that covers less than the tranche but some output is held whole. Before the estimate of the input
 * refuses someone, the input is counted exactly. Answers at once where the ledger does: nearly always.
 */
export function takeHold(
  deps: HoldDeps,
  exchange: Exchange,
  snapshot: PriceSnapshot,
  request: Omit<ReserveRequest, 'amount'>,
): Hold | Promise<Hold> {
  const extras = extrasOf(exchange.facts, snapshot);
  const output = outputOf(exchange, deps.preConsumedTokens());
  const wish: Wish = { deps, exchange, snapshot, request, extras, output };
  const inputTokens = exchange.facts.estimatedInputTokens;
  const wanted = wantedAmount(snapshot, inputTokens, output.first, extras);
  let given: Hold | Promise<Hold>;
  try {
    given = ask(wish, inputTokens, wanted, wanted);
  } catch (error) {
    given = Promise.reject(error as Error);
  }
  return given instanceof Promise ? takeLess(wish, given, wanted) : given;
}

/** Asks the ledger for one amount, and for as much as the longest answer may cost where that is all that is wanted. */
function ask(wish: Wish, inputTokens: number, amount: number, wanted: number): Hold | Promise<Hold> {
  const isPartial = amount < wanted;
  const upTo = isPartial ? amount : wantedAmount(wish.snapshot, inputTokens, wish.output.most, wish.extras);
  const asked: ReserveRequest = { ...wish.request, amount, patient: true };
  if (upTo > amount) asked.upTo = upTo;
  const given = wish.deps.ledger.reserve(asked);
  if (given instanceof Promise) return given.then((held) => holdOf(wish, inputTokens, isPartial, held));
  return holdOf(wish, inputTokens, isPartial, given);
}

const holdOf = (
  { deps: { ledger }, exchange: { requestId }, snapshot, extras }: Wish,
  inputTokens: number,
  isPartial: boolean,
  { amount, durable }: Reservation,
): Hold => new Hold({ ledger, requestId, snapshot, extras, inputTokens, amount, isPartial }, durable);

/** Waits for the first answer of the ledger, and asks for less where it was a refusal. */
async function takeLess(wish: Wish, first: Promise<Hold>, firstWanted: number): Promise<Hold> {
  const { deps, exchange, snapshot, extras, output } = wish;
  const { facts } = exchange;
  let inputTokens = facts.estimatedInputTokens;
  let wanted = firstWanted;
  let amount = wanted;
  for (let round = 0; ; round += 1) {
    try {
      return await (round === 0 ? first : ask(wish, inputTokens, amount, wanted));
    } catch (error) {
      if (error instanceof LedgerUnavailable) throw refuse(503, 'ledger_unavailable', '数据库连接失败');
      if (!(error instanceof InsufficientQuota) || round >= 3) throw asRefusal(deps, error, amount, facts);
      // What a request for images or sound costs stands in it; there is no text whose tokens could be fewer.
      if (round === 0 && facts.media?.inputTokens === undefined) {
        inputTokens = Math.min(inputTokens, await deps.countPrompt(exchange));
      }
      const least = wantedAmount(snapshot, inputTokens, output.least, extras);
      if (error.available < least) throw asRefusal(deps, error, least, facts);
      wanted = wantedAmount(snapshot, inputTokens, output.first, extras);
      amount = Math.min(error.available, wanted);
    }
  }
}

/** At least one unit, so that an empty balance is refused even a free model (wire-facts 6.2). */
const wantedAmount = (
  snapshot: PriceSnapshot,
  input: number,
  output: number,
  extras: PriceExtras | undefined,
): number => Math.max(1, holdFor(snapshot, input, output, extras));

interface OutputTokens {
  least: number;
  first: number;
  most: number;
}

/**
 * Output tokens to hold: what is enough to begin, what is asked for, and what is taken where there is plenty. An image
 * or a sound comes whole or not at all: less than its price begins nothing. Vectors have no output.
 */
function outputOf(exchange: Exchange, preConsumed: number): OutputTokens {
  const { stream, maxOutputTokens, choices } = exchange.facts;
  if (!growsByTokens(exchange)) {
    const all = maxOutputTokens * choices;
    return { least: all, first: all, most: all };
  }
  const bound = maxOutputTokens > 0 ? maxOutputTokens : Infinity;
  const usual = stream ? trancheTokens : wholeAnswerTokens;
  const first = Math.min(bound, Math.max(usual, preConsumed));
  const longest = maxOutputTokens > 0 ? maxOutputTokens : longAnswerTokens;
  return {
    least: Math.min(bound, leastOutputTokens) * choices,
    first: first * choices,
    most: (stream ? first : Math.max(first, longest)) * choices,
  };
}

function asRefusal(deps: HoldDeps, error: unknown, needed: number, { media }: RequestFacts): unknown {
  if (!(error instanceof InsufficientQuota)) return error;
  return quotaRefusal(deps, error, needed, media?.answer === 'images' ? 'image' : 'chat');
}

/** The refusals of wire-facts 6.2. */
export function quotaRefusal(
  deps: Pick<HoldDeps, 'showQuota'>,
  error: InsufficientQuota,
  needed: number,
  what = 'chat',
): RelayError {
  if (error.reason === 'token') {
    const text = `token quota is not enough, token remain quota: ${deps.showQuota(error.available)}, need quota: ${deps.showQuota(needed)}`;
    return refuse(403, 'pre_consume_token_quota_failed', text);
  }
  if (error.available <= 0) return refuse(403, 'insufficient_user_quota', 'user quota is not enough');
  const text = `${what} pre-consumed quota failed, user quota: ${deps.showQuota(error.available)}, need quota: ${deps.showQuota(needed)}`;
  return refuse(403, 'insufficient_user_quota', text);
}

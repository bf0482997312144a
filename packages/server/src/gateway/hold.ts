import type { PriceSnapshot } from '@tollgate/contract';
import { holdFor } from '@tollgate/contract';
import { refuse, type RelayError } from '../relay/model/relay-error.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type RequestLedger,
  type ReserveRequest,
} from '../services/ledger/index.ts';
import type { CountedRequest, Exchange } from './types.ts';

/** Output tokens a hold covers at first and grows by while streaming (money.md, decision 4). */
const trancheTokens = 2_000;
/** An answer that does not stream cannot extend its hold on the way, so more is held at once. */
const wholeAnswerTokens = 8_000;
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
  private readonly ledger: RequestLedger;
  private readonly requestId: string;
  private readonly snapshot: PriceSnapshot;
  private extending = false;

  constructor(
    parts: {
      ledger: RequestLedger;
      requestId: string;
      snapshot: PriceSnapshot;
      inputTokens: number;
      amount: number;
      isPartial: boolean;
    },
    durable: Promise<void>,
  ) {
    this.ledger = parts.ledger;
    this.requestId = parts.requestId;
    this.snapshot = parts.snapshot;
    this.inputTokens = parts.inputTokens;
    this.amount = parts.amount;
    this.isPartial = parts.isPartial;
    this.durable = durable;
  }

  /** What the request has cost so far, by the estimate. */
  costAt(outputTokens: number): number {
    return holdFor(this.snapshot, this.inputTokens, outputTokens);
  }

  /** True when the hold covers an answer as long as `facts` allows it to be. */
  coversAll({ facts }: Pick<Exchange, 'facts'>): boolean {
    return facts.maxOutputTokens > 0 && this.amount >= this.costAt(facts.maxOutputTokens * facts.choices);
  }

  /** Output tokens that are still covered beyond `outputTokens`; large when output is free. */
  tokensLeft(outputTokens: number): number {
    const perThousand = holdFor(this.snapshot, 0, 1_000);
    if (perThousand <= 0 || this.snapshot.mode === 'call') return 1_000_000;
    return Math.floor(((this.amount - this.costAt(outputTokens)) * 1_000) / perThousand);
  }

  /** Grows the hold by a tranche; one extension runs at a time. */
  extend(): void {
    if (this.extending || this.exhausted) return;
    const more = Math.max(1, holdFor(this.snapshot, 0, trancheTokens));
    this.extending = true;
    this.ledger
      .extend(this.requestId, more)
      .then((granted) => {
        if (granted) this.amount += more;
        else this.exhausted = true;
      })
      .catch(() => {
        // The ledger cannot be reached: deliver what is held and no more.
        this.exhausted = true;
      })
      .finally(() => {
        this.extending = false;
      });
  }
}

export interface HoldDeps {
  ledger: RequestLedger;
  countPrompt(request: CountedRequest): Promise<number>;
  /** An amount in words, for refusals (wire-facts 6.7). */
  showQuota(amount: number): string;
}

/**
 * Takes the hold of a request. A large max_tokens alone never refuses anyone: what is asked for is a tranche, and
 * a balance that covers less than the tranche but some output is held whole. Before the estimate of the input
 * refuses someone, the input is counted exactly.
 */
export async function takeHold(
  deps: HoldDeps,
  exchange: Exchange,
  snapshot: PriceSnapshot,
  request: Omit<ReserveRequest, 'amount'>,
): Promise<Hold> {
  const { facts } = exchange;
  let inputTokens = facts.estimatedInputTokens;
  let wanted = wantedAmount(snapshot, inputTokens, firstOutput(exchange));
  let amount = wanted;
  for (let round = 0; ; round += 1) {
    try {
      const given = deps.ledger.reserve({ ...request, amount });
      const reservation = given instanceof Promise ? await given : given;
      const { requestId } = exchange;
      const isPartial = amount < wanted;
      const parts = { ledger: deps.ledger, requestId, snapshot, inputTokens, amount, isPartial };
      return new Hold(parts, reservation.durable);
    } catch (error) {
      if (error instanceof LedgerUnavailable) throw refuse(503, 'ledger_unavailable', '数据库连接失败');
      if (!(error instanceof InsufficientQuota) || round >= 3) throw asRefusal(deps, error, amount);
      if (round === 0) inputTokens = Math.min(inputTokens, await deps.countPrompt(exchange));
      const least = wantedAmount(snapshot, inputTokens, leastOutputTokens);
      if (error.available < least) throw asRefusal(deps, error, least);
      wanted = wantedAmount(snapshot, inputTokens, firstOutput(exchange));
      amount = Math.min(error.available, wanted);
    }
  }
}

/** At least one unit, so that an empty balance is refused even a free model (wire-facts 6.2). */
const wantedAmount = (snapshot: PriceSnapshot, input: number, output: number): number =>
  Math.max(1, holdFor(snapshot, input, output));

function firstOutput({ facts }: Exchange): number {
  const tranche = facts.stream ? trancheTokens : wholeAnswerTokens;
  const bound = facts.maxOutputTokens > 0 ? Math.min(facts.maxOutputTokens, tranche) : trancheTokens;
  return bound * facts.choices;
}

function asRefusal(deps: HoldDeps, error: unknown, needed: number): unknown {
  if (!(error instanceof InsufficientQuota)) return error;
  return quotaRefusal(deps, error, needed);
}

/** The refusals of wire-facts 6.2. */
function quotaRefusal(deps: HoldDeps, error: InsufficientQuota, needed: number): RelayError {
  if (error.reason === 'token') {
    const text = `token quota is not enough, token remain quota: ${deps.showQuota(error.available)}, need quota: ${deps.showQuota(needed)}`;
    return refuse(403, 'pre_consume_token_quota_failed', text);
  }
  if (error.available <= 0) return refuse(403, 'insufficient_user_quota', 'user quota is not enough');
  const text = `chat pre-consumed quota failed, user quota: ${deps.showQuota(error.available)}, need quota: ${deps.showQuota(needed)}`;
  return refuse(403, 'insufficient_user_quota', text);
}

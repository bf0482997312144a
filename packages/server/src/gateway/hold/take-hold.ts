import { holdFor, type PriceExtras, type PriceSnapshot } from '@tollgate/contract';
import { type RequestFacts, refuse, type RelayError } from '../../relay/types/index.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type RequestLedger,
  type ReserveRequest,
} from '../../services/ledger/index.ts';
import { maxCountedLength } from '../../lib/token-count/count-at-most.ts';
import { growsByTokens } from './afford.ts';
import { Hold } from './hold.ts';
import { holdExtrasOf } from './media.ts';
import type { Caller, CountedRequest, RelayCall } from '../call/index.ts';

/** Output tokens a stream's hold covers at first. */
const trancheTokens = 2_000;
/** An answer that does not stream cannot extend its hold on the way, so more is held at once. */
const wholeAnswerTokens = 8_000;
/** What an answer may come to without a bound of the caller's: held as far as the balance has plenty. */
const longAnswerTokens = 32_000;
/** A balance that covers the input and this much output is enough to begin. */
const leastOutputTokens = 16;
/** The estimate of the input takes three bytes of text for a token; a token has at least one. */
const mostPerEstimated = 3;

export interface HoldDeps {
  ledger: Pick<RequestLedger, 'reserve' | 'extend' | 'release'>;
  /** Counts the input of a request, and bounds what is too long to be counted. */
  boundPrompt(request: CountedRequest): Promise<number>;
  /** Option PreConsumedQuota: output tokens that are held at least, within the caller's own bound. */
  preConsumedTokens(): number;
  /** An amount in words, for refusals. */
  showQuota(amount: number): string;
}

/** What a request would like to hold, and what for. */
interface HoldTerms {
  deps: HoldDeps;
  relayCall: RelayCall;
  snapshot: PriceSnapshot;
  request: Omit<ReserveRequest, 'amount'>;
  extras: PriceExtras | undefined;
  output: OutputTokens;
  /** Input tokens by the estimate. */
  likely: number;
  /** Input tokens at most. */
  most: number;
  /** Input tokens as they are billed where no vendor tells them; once they were counted. */
  counted?: number;
}

/**
 * Takes the hold of a request. A large max_tokens alone never refuses anyone: what is asked for is a tranche, and
 * a balance that covers less than the tranche but some output is held whole. Where there is plenty, the most that the
 * input can be is held; else it is counted before anything is sent, and what was refused is asked for again by the
 * count, and then for less.
 */
export async function takeHold(
  deps: HoldDeps,
  relayCall: RelayCall,
  snapshot: PriceSnapshot,
  request: Omit<ReserveRequest, 'amount'>,
): Promise<Hold> {
  const { facts } = relayCall;
  const extras = holdExtrasOf(facts, snapshot);
  const output = outputOf(relayCall, deps.preConsumedTokens());
  const likely = facts.estimatedInputTokens;
  // What images and sound cost stands in the request; there is no text to be counted.
  const most = countsText(facts) ? likely * mostPerEstimated : likely;
  const terms: HoldTerms = { deps, relayCall, snapshot, request, extras, output, likely, most };
  const amount = wantedAmount(terms, likely, output.first);
  let hold: Hold;
  try {
    hold = await ask(terms, { inputTokens: most, amount, upTo: wantedAmount(terms, most, output.most) });
  } catch (error) {
    return takeLess(terms, error, amount);
  }
  return hold.amount >= wantedAmount(terms, most, output.first) ? hold : fitToCount(terms, hold);
}

const countsText = ({ media }: RequestFacts): boolean =>
  media === undefined || media.inputTokens === undefined;

/** What the ledger is asked for: `amount`, and more where there is plenty. */
interface Ask {
  inputTokens: number;
  amount: number;
  upTo: number;
  isPartial?: boolean;
}

/** Asks the ledger for one amount, and for as much as the longest answer may cost where that is all that is wanted. */
async function ask(terms: HoldTerms, { inputTokens, amount, upTo, isPartial = false }: Ask): Promise<Hold> {
  const asked: ReserveRequest = { ...terms.request, amount, deferrable: true };
  if (upTo > amount) asked.upTo = upTo;
  const held = await terms.deps.ledger.reserve(asked);
  const hold = new Hold(
    {
      ledger: terms.deps.ledger,
      requestId: terms.relayCall.requestId,
      snapshot: terms.snapshot,
      note: terms.request.request,
      extras: terms.extras,
      inputTokens,
      amount: held.amount,
      isPartial,
      isPlenty: held.amount >= upTo && !isPartial,
    },
    held.durable,
  );
  hold.countedInput = terms.counted;
  return hold;
}

/** A hold that may not cover the most that the input can be: the input is counted, and the hold made to fit it. */
async function fitToCount(terms: HoldTerms, hold: Hold): Promise<Hold> {
  const { deps, relayCall, output, most } = terms;
  // It may turn out impossible while nobody waits for it; who delivers is told all the same.
  hold.durable.catch(() => undefined);
  hold.inputTokens = Math.min(most, await countInput(terms));
  hold.countedInput = terms.counted;
  const wanted = wantedAmount(terms, hold.inputTokens, output.first);
  if (hold.amount < wanted) {
    hold.extend(wanted);
    await hold.extending;
    hold.exhausted = false;
  }
  hold.isPartial = hold.amount < wanted;
  if (hold.amount >= wantedAmount(terms, hold.inputTokens, output.least)) return hold;
  // It does not even begin the answer: what is there is asked for anew, for the refusal to say how much that is.
  await deps.ledger.release(relayCall.requestId);
  return takeLess(terms, undefined, wanted, hold.inputTokens);
}

/** Waits for a hold that was given back, or asks for less after a refusal: as much as there is, if that is enough to begin. */
async function takeLess(terms: HoldTerms, refused: unknown, asked: number, counted?: number): Promise<Hold> {
  const { deps, relayCall, output, likely } = terms;
  let inputTokens = counted ?? likely;
  let amount = asked;
  let error = refused;
  for (let round = 0; ; round += 1) {
    if (error !== undefined) {
      if (error instanceof LedgerUnavailable) throw refuse('ledger_unavailable');
      if (!(error instanceof InsufficientQuota) || round >= 4) {
        throw asRefusal(deps, error, amount, relayCall);
      }
      if (round === 0) inputTokens = await countInput(terms);
      const least = wantedAmount(terms, inputTokens, output.least);
      if (error.available < least) throw asRefusal(deps, error, least, relayCall);
      amount = Math.min(error.available, wantedAmount(terms, inputTokens, output.first));
    }
    const isPartial = amount < wantedAmount(terms, inputTokens, output.first);
    const upTo = isPartial ? amount : wantedAmount(terms, inputTokens, output.most);
    try {
      return await ask(terms, { inputTokens, amount, upTo, isPartial });
    } catch (cause) {
      error = cause;
    }
  }
}

/** The input, counted, with what cannot be; of images and sound what their request tells. */
async function countInput(terms: HoldTerms): Promise<number> {
  const { deps, relayCall, likely } = terms;
  if (!countsText(relayCall.facts)) return likely;
  const counted = await deps.boundPrompt(relayCall);
  // What is as long as this may have been bounded, and a bound is no bill.
  if (terms.most <= maxCountedLength) terms.counted = counted;
  return counted + (relayCall.facts.uncountedInputTokens ?? 0);
}

/** At least one unit, so that an empty balance is refused even a free model. */
const wantedAmount = ({ snapshot, extras, relayCall }: HoldTerms, input: number, output: number): number =>
  Math.max(1, holdFor(snapshot, input, output, extras, madeBy(relayCall)));

/** What the output tokens of a call are: images have a price of their own. */
const madeBy = ({ facts }: RelayCall): 'text' | 'image' =>
  facts.media?.answer === 'images' ? 'image' : 'text';

interface OutputTokens {
  least: number;
  first: number;
  most: number;
}

/**
 * Output tokens to hold: what is enough to begin, what is asked for, and what is taken where there is plenty. An image
 * or a sound comes whole or not at all: less than its price begins nothing. Vectors have no output.
 */
function outputOf(relayCall: RelayCall, preConsumed: number): OutputTokens {
  const { stream, maxOutputTokens, choices } = relayCall.facts;
  if (!growsByTokens(relayCall)) {
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
    // The wire of a stream has a multiple of its text's bytes: what is held for at once need not be looked at.
    most: Math.max(first, stream ? longAnswerTokens : longest) * choices,
  };
}

function asRefusal(deps: HoldDeps, error: unknown, needed: number, { facts, caller }: RelayCall): unknown {
  if (!(error instanceof InsufficientQuota)) return error;
  return quotaRefusal(deps, error, needed, caller, facts.media?.answer === 'images' ? 'image' : 'chat');
}

/**
 * What a caller without enough quota is told: whose is short, and by how much. A key with nothing left is told what it is
 * told once its row is read again.
 */
export function quotaRefusal(
  deps: Pick<HoldDeps, 'showQuota'>,
  error: InsufficientQuota,
  needed: number,
  { maskedKey }: Pick<Caller, 'maskedKey'>,
  what = 'chat',
): RelayError {
  const available = deps.showQuota(error.available);
  if (error.reason === 'token') {
    if (error.available <= 0)
      return refuse('token_without_quota', { key: maskedKey, remaining: error.available });
    return refuse('hold_exceeds_token_quota', { available, needed: deps.showQuota(needed) });
  }
  if (error.reason === 'member')
    return refuse('hold_exceeds_member_limit', { available, needed: deps.showQuota(needed) });
  if (error.available <= 0) return refuse('insufficient_user_quota');
  return refuse('hold_exceeds_user_quota', { what, available, needed: deps.showQuota(needed) });
}

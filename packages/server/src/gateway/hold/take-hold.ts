import {
  holdFor,
  inputTokens,
  outputTokens,
  type PriceExtras,
  type PriceSnapshot,
  quotaOf,
  type ToolUses,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import { isFilled } from '../../lib/json.ts';
import { maxCountedLength } from '../../lib/token-count/count-at-most.ts';
import { type Channel, refuse, type RelayError, type RequestFacts } from '../../relay/types/index.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type Reservation,
  type ReserveRequest,
  type ShortBudget,
  type WaitingCaller,
} from '../../services/money/ledger/index.ts';
import type { Admission, Caller, GatewayDeps, RelayCall } from '../call/index.ts';
import { AboveCeiling, tooLow } from './ceiling.ts';
import {
  type Amounts,
  budgetReached,
  growsByTokens,
  Hold,
  longAnswerTokens,
  minTranche,
  moreUses,
  OutOfBudget,
  soundTranche,
} from './hold.ts';
import { extrasOf, holdExtrasOf } from './meter.ts';

/** Output tokens a stream's hold covers at first. */
const trancheTokens = 2_000;
/** An answer that does not stream cannot extend its hold on the way, so more is held at once. */
const wholeAnswerTokens = 8_000;
/** No vendor counts less than this part of a tokenizer's count; for quotes. */
const leastShare = 8;
/** Input tokens that vendors add to a request with tools, for instructions of their own: at most 530 of Claude; for quotes. */
const toolInstructions = 1_000;
/** Assumed length of an answer without any facts; for quotes. */
const usualOutputTokens = 500;
/** The estimate of the input takes three bytes of text for a token; a token has at least one. */
const maxPerEstimated = 3;

/** Parts of the gateway that a hold is taken with. */
type HoldDeps = Pick<
  GatewayDeps,
  'ledger' | 'boundPrompt' | 'canLimitUses' | 'preConsumedTokens' | 'showQuota'
>;

/** Amount of a request's hold, and its basis. */
interface HoldTerms {
  deps: HoldDeps;
  relayCall: RelayCall;
  snapshot: PriceSnapshot;
  request: Omit<ReserveRequest, 'amount'>;
  /** It waits for other calls until its caller disconnects. */
  caller: WaitingCaller | undefined;
  /** The most that it may cost, in quota units; undefined for no ceiling. */
  ceiling: number | undefined;
  /** Set for a response of a realtime session: the conversation that it will read, which is not a text to be counted. */
  heard?: Partial<Usage>;
  extras: PriceExtras | undefined;
  /** Minimum of uses of tools to hold, if the upstream supports a limit. */
  leastUses: ToolUses | undefined;
  /** The limit for the upstream, if fewer are held. */
  maxUses?: number;
  output: OutputTokens;
  /** Estimated input tokens. */
  estimatedInput: number;
  /** Upper bound of the input tokens. */
  maxInput: number;
  /** Input tokens to bill if the vendor reports none; set once they were counted. */
  counted?: number;
}

/**
 * Takes the hold of a request. A large max_tokens alone never causes a refusal: a tranche is requested, and a balance
 * that covers less than the tranche but some output is held whole. With an ample balance the upper bound of the input is
 * held; otherwise it is counted before anything is sent, and a refused hold is requested again by the count, and then
 * for less. Where other calls of the payer hold the rest, it waits for them. Throws the refusal as a RelayError, and
 * OutOfBudget if a budget does not cover the first part and names a cheaper model.
 */
export async function takeHold(
  deps: HoldDeps,
  relayCall: RelayCall,
  snapshot: PriceSnapshot,
  request: Omit<ReserveRequest, 'amount'>,
  first: Channel,
  /** The most that it may cost, in quota units. */
  ceiling?: number,
): Promise<Hold> {
  const terms: HoldTerms = {
    ...priceTerms(deps, relayCall, snapshot, usesToHold(deps, relayCall, first)),
    request,
    caller: relayCall.res,
    ceiling,
  };
  const { output, estimatedInput, maxInput } = terms;
  const amount = amountFor(terms, estimatedInput, output.first);
  let hold: Hold;
  try {
    hold = await ask(terms, { inputTokens: maxInput, amount, upTo: amountFor(terms, maxInput, output.max) });
  } catch (error) {
    return takeWhenReleased(terms, error);
  }
  // A ceiling is compared with the count, not with the upper bound.
  const isAmple =
    terms.ceiling === undefined &&
    (hold.coversLongestAnswer || hold.covers(amountFor(terms, maxInput, output.first)));
  return isAmple ? hold : fitToCount(terms, hold);
}

/**
 * Takes the hold of a session's next response, which will read `heard`, for the first half a minute of its speech or as
 * much as is available. Waits and refuses as for any call.
 */
export function takeSpokenHold(
  deps: HoldDeps,
  relayCall: RelayCall,
  snapshot: PriceSnapshot,
  request: Omit<ReserveRequest, 'amount'>,
  heard: Partial<Usage>,
  caller: WaitingCaller | undefined,
  ceiling: number | undefined,
): Promise<Hold> {
  const output: OutputTokens = { min: minTranche, first: soundTranche, max: soundTranche, isAll: false };
  const terms: HoldTerms = {
    deps,
    relayCall,
    caller,
    ceiling,
    snapshot,
    request,
    heard,
    extras: undefined,
    leastUses: undefined,
    output,
    estimatedInput: 0,
    maxInput: 0,
  };
  return takeWhenReleased(terms, undefined, 0);
}

/**
 * Takes a hold of exactly `amount`, for a charge that is known before. Waits for other calls, and refuses, as for any call;
 * throws OutOfBudget if a budget without room names a cheaper model.
 */
export async function takeKnownHold(
  deps: HoldDeps,
  relayCall: RelayCall,
  request: Omit<ReserveRequest, 'amount'>,
  amount: number,
  ceiling = Infinity,
): Promise<Reservation> {
  const asked: ReserveRequest = { ...request, amount, deferrable: true };
  try {
    if (amount > ceiling) throw new AboveCeiling(ceiling, amount);
    const waiting = { payer: request, caller: relayCall.res };
    return await deps.ledger.whenReleased(waiting, async () => deps.ledger.reserve(asked));
  } catch (error) {
    if (error instanceof InsufficientQuota && error.budget?.instead) throw new OutOfBudget(error.budget);
    throw asRefusal(deps, error, relayCall);
  }
}

type PriceTermsOf = Omit<HoldTerms, 'request' | 'caller' | 'ceiling'>;

function priceTerms(
  deps: PriceTermsOf['deps'],
  relayCall: RelayCall,
  snapshot: PriceSnapshot,
  { all, leastUses }: UsesToHold,
): PriceTermsOf {
  const { facts } = relayCall;
  const estimatedInput = facts.estimatedInputTokens;
  return {
    deps,
    relayCall,
    snapshot,
    extras: holdExtrasOf(facts, snapshot, all),
    leastUses,
    output: outputOf(relayCall, deps.preConsumedTokens()),
    estimatedInput,
    // The cost of images and sound follows from the request; there is no text to be counted.
    maxInput: countsText(facts) ? estimatedInput * maxPerEstimated : estimatedInput,
  };
}

/**
 * Adjusts a hold to the price of a further channel before that channel is called, and takes the missing amount. Throws
 * the refusal as a RelayError if it is not available, and OutOfBudget if a budget does not cover the first part and names a
 * cheaper model.
 *
 * @param isChanged - The channel gets another request than the held `relayCall`
 */
export async function repriceHold(
  deps: HoldDeps,
  relayCall: RelayCall,
  hold: Hold,
  admission: Admission,
  isChanged = false,
): Promise<void> {
  await hold.extending;
  const terms = priceTerms(deps, relayCall, admission.snapshot, {
    all: isChanged ? allUses(hold.uses, relayCall.facts.mostUses) : (hold.uses ?? relayCall.facts.mostUses),
  });
  hold.reprice({ ...terms, note: holdNote(relayCall, admission) });
  hold.isPartial = false;
  if (isChanged) hold.inputTokens = Math.max(hold.inputTokens, terms.maxInput);
  const first = amountFor(terms, hold.inputTokens, terms.output.first);
  if (!hold.covers(first)) {
    const isEnough = await growToCount(terms, hold);
    if (hold.isPartial && hold.cheaper) throw hold.refusal;
    if (!isEnough && !(await growToLeast(terms, hold))) throw hold.refusal;
  }
  hold.coversLongestAnswer = hold.covers(amountFor(terms, hold.inputTokens, terms.output.max));
}

const allUses = (held: ToolUses | undefined, most: ToolUses | undefined): ToolUses | undefined =>
  held && most ? moreUses(held, most) : (held ?? most);

/** What the longest likely answer to a call that cannot extend its hold needs, and its counted input. */
export async function wholeCost(
  deps: HoldDeps,
  relayCall: RelayCall,
  snapshot: PriceSnapshot,
): Promise<Amounts & { inputTokens: number }> {
  const terms = priceTerms(deps, relayCall, snapshot, { all: relayCall.facts.mostUses });
  const inputTokens = Math.min(terms.maxInput, await countInput(terms));
  return { ...amountFor(terms, inputTokens, terms.output.max), inputTokens };
}

/**
 * The first hold of a call in one piece: with the longest input, or with the count if it is `counted`.
 * Nothing is held.
 */
export async function firstHold(
  deps: HoldDeps,
  relayCall: RelayCall,
  snapshot: PriceSnapshot,
  channel: Channel,
  counted: boolean,
): Promise<Amounts> {
  const terms = priceTerms(deps, relayCall, snapshot, usesToHold(deps, relayCall, channel));
  const input = counted ? Math.min(terms.maxInput, await countInput(terms)) : terms.maxInput;
  return amountFor(terms, input, terms.output.first);
}

/** Lower and upper bound of a call's charge, in quota units. */
interface CostBounds {
  /** An eighth of the counted input, as if all of it came from a cache: vendors count by other vocabularies. */
  least: number;
  /**
   * The longest input and the caller's limit of output and tools; undefined if the caller sets none, or if the vendor
   * reads more than the request shows.
   */
  mostOfRequest: number | undefined;
  /** What must be available to start the call. */
  toBegin: Amounts;
  /** The cost with this number of output tokens. */
  costAt: (outputTokens: number) => number;
  /** Output tokens if there is no data on such calls. */
  usualOutput: number;
  growsByTokens: boolean;
  inputTokens: number;
}

/** The bounds of a call's cost, by the terms of its hold. Takes no hold. */
export async function costBounds(
  deps: HoldDeps,
  relayCall: RelayCall,
  snapshot: PriceSnapshot,
  first: Channel,
): Promise<CostBounds> {
  const { facts } = relayCall;
  const terms = priceTerms(deps, relayCall, snapshot, usesToHold(deps, relayCall, first));
  const inputTokens = Math.min(terms.maxInput, await countInput(terms));
  const isGrowing = growsByTokens(relayCall);
  const limit = isGrowing ? facts.maxOutputTokens * facts.choices : terms.output.max;
  // The vendor's tools read pages and results, which are input.
  const readsMore = facts.hasOpenInput === true || facts.hostedTools !== undefined;
  const isOpen =
    isGrowing && (limit === 0 || readsMore || (facts.uses !== undefined && facts.maxUses === undefined));
  const mostInput = terms.maxInput + (isFilled(relayCall.json.tools) ? toolInstructions : 0);
  const usual = Math.min(usualOutputTokens * facts.choices, limit || Infinity);
  return {
    least: leastCost(relayCall, snapshot, Math.floor(inputTokens / leastShare)),
    mostOfRequest: isOpen ? undefined : amountFor(terms, mostInput, limit).quota,
    toBegin: amountFor(terms, inputTokens, terms.output.min),
    costAt: (outputTokens) =>
      holdFor(snapshot, inputTokens, outputTokens, extrasOf(facts, snapshot), outputKind(relayCall)),
    usualOutput: isGrowing ? usual : terms.output.max,
    growsByTokens: isGrowing,
    inputTokens,
  };
}

/** The cost of one unit at a price per call, otherwise of `inputTokens` at the cheapest of all prices for input. */
function leastCost({ facts }: RelayCall, snapshot: PriceSnapshot, inputTokens: number): number {
  // Images and sound have units that are not in a text count.
  const tokens = facts.media ? 1 : inputTokens;
  const extras = extrasOf(facts, snapshot);
  const one = extras && { ...extras, calls: 1 };
  const tiers = [undefined, ...Object.keys(snapshot.serviceTiers ?? {})];
  const costs = tiers.flatMap((tier) =>
    (['input', 'cacheRead'] as const).map((counter) =>
      quotaOf({ ...usageOf({ [counter]: tokens }), ...(tier !== undefined && { tier }) }, snapshot, one),
    ),
  );
  return Math.min(...costs);
}

interface UsesToHold {
  all: ToolUses | undefined;
  /** As `HoldTerms.leastUses`. */
  leastUses?: ToolUses | undefined;
}

const noUses: UsesToHold = { all: undefined };

/**
 * Number of tool uses to hold. Streams of vendors with a limit announce each use, and get the caller's limit.
 * Otherwise uses are reported at the end: all possible uses are held, or fewer if the vendor gets a limit.
 */
function usesToHold(deps: Pick<HoldDeps, 'canLimitUses'>, relayCall: RelayCall, first: Channel): UsesToHold {
  const { uses, mostUses, maxUses, stream } = relayCall.facts;
  if (!uses) return noUses;
  // An answer makes one container at most for each tool.
  const isFixed = toolCounters.every((each) => each === 'containers' || !uses[each]);
  if (isFixed || !deps.canLimitUses(relayCall, first)) return { all: mostUses };
  if (stream || maxUses !== undefined) return { all: uses };
  return { all: mostUses, leastUses: uses };
}

/** Takes the amount that is missing to begin, which may be less than one extension; false if it is not available. */
async function growToLeast(terms: PriceTermsOf, hold: Hold): Promise<boolean> {
  const least = amountFor(terms, hold.inputTokens, terms.output.min);
  // The available amount would cut an answer, and other calls hold the rest.
  if (hold.covers(least)) return false;
  await hold.grow(hold.missingOf(least));
  return hold.covers(least);
}

const countsText = ({ media }: RequestFacts): boolean =>
  media === undefined || media.inputTokens === undefined;

/** Request to the ledger: `amount`, and up to `upTo` with an ample balance. */
interface Ask {
  inputTokens: number;
  amount: Amounts;
  upTo: Amounts;
  isPartial?: boolean;
}

/** Requests a hold of `amount` from the ledger, and of up to `upTo`, which the longest answer may cost. */
async function ask(terms: HoldTerms, { inputTokens, amount, upTo, isPartial = false }: Ask): Promise<Hold> {
  // A session waits for its hold before it begins.
  const { ceiling = Infinity } = terms;
  if (amount.quota > ceiling) throw new AboveCeiling(ceiling, amount.quota);
  const asked: ReserveRequest = { ...terms.request, amount: amount.quota };
  if (!terms.heard) asked.deferrable = true;
  if (Math.min(upTo.quota, ceiling) > amount.quota) asked.upTo = Math.min(upTo.quota, ceiling);
  const countsTokens = asked.tokens !== undefined;
  if (countsTokens) Object.assign(asked, { tokens: amount.tokens, upToTokens: upTo.tokens });
  const held = await terms.deps.ledger.reserve(asked);
  const hold = new Hold(
    {
      ledger: terms.deps.ledger,
      showQuota: terms.deps.showQuota,
      requestId: terms.request.requestId,
      payer: terms.request,
      snapshot: terms.snapshot,
      note: terms.request.request,
      extras: terms.extras,
      inputTokens,
      amount: held.amount,
      tokens: countsTokens ? held.tokens : Infinity,
      isPartial,
      maxUses: terms.maxUses,
      coversLongestAnswer:
        held.amount >= upTo.quota && (!countsTokens || held.tokens >= upTo.tokens) && !isPartial,
      ceiling: terms.ceiling,
      isSpoken: terms.heard !== undefined,
    },
    held.durable,
  );
  hold.countedInput = terms.counted;
  return hold;
}

/** A hold that may not cover the upper bound of the input: the input is counted, and the hold adjusted to it. */
async function fitToCount(terms: HoldTerms, hold: Hold): Promise<Hold> {
  const isEnough = await growToCount(terms, hold).catch((error: unknown) => {
    // It was refused or lost since it was taken.
    if (!(error instanceof LedgerUnavailable)) throw error;
    return false;
  });
  if (isEnough) return hold;
  // It is not enough to begin: the hold is requested again, so that the refusal has the available amount.
  await terms.deps.ledger.release(terms.request.requestId);
  return takeWhenReleased(terms, undefined, hold.inputTokens);
}

/** Counts the input and adjusts the hold to it; false if it is not enough to begin. */
async function growToCount(terms: PriceTermsOf, hold: Hold): Promise<boolean> {
  const { output, maxInput } = terms;
  // It may be refused before any code waits for it; the delivery waits for it in any case.
  hold.durable.catch(() => undefined);
  hold.inputTokens = Math.min(maxInput, await countInput(terms));
  hold.countedInput = terms.counted;
  const wanted = amountFor(terms, hold.inputTokens, output.first);
  if (!hold.covers(wanted)) await hold.grow(hold.missingOf(wanted));
  hold.isPartial = !hold.covers(wanted);
  // Fewer uses of tools are better than a shorter answer.
  const isCut = hold.isPartial && ((hold.isBlocked && output.isAll) || terms.leastUses !== undefined);
  return !isCut && hold.covers(amountFor(terms, hold.inputTokens, output.min));
}

/** Requests a hold again, by the count of the input, and waits if other calls hold the needed amount. */
async function takeWhenReleased(terms: HoldTerms, refused: unknown, counted?: number): Promise<Hold> {
  const { deps, relayCall, request, caller } = terms;
  if (refused instanceof LedgerUnavailable) throw refuse('ledger_unavailable');
  if (refused !== undefined && !(refused instanceof InsufficientQuota)) throw refused;
  const inputTokens = counted ?? (await countInput(terms));
  let last = refused;
  try {
    return await deps.ledger.whenReleased({ payer: request, caller }, (isLast) => {
      const before = last;
      last = undefined;
      return takeSmaller(terms, { inputTokens, refused: before, isLast });
    });
  } catch (error) {
    throw asRefusal(deps, error, relayCall);
  }
}

/**
 * Requests a hold, and a smaller one after a refusal: as much as is available, if that is enough to begin. If other
 * calls hold the rest, it takes no hold that would cut the answer until the last attempt.
 */
async function takeSmaller(
  terms: HoldTerms,
  tried: { inputTokens: number; refused: InsufficientQuota | undefined; isLast: boolean },
): Promise<Hold> {
  const { output } = terms;
  const { inputTokens } = tried;
  // The estimate did not fit, the count may.
  let error = cheaperBudget(terms, tried.refused) ? undefined : tried.refused;
  /** What the refusals so far leave of each unit. */
  let available: Amounts = plenty;
  for (let round = 0; ; round += 1) {
    available = error ? { ...available, [error.unit]: error.available } : plenty;
    const paid = error ? withPaidUses(terms, inputTokens, available.quota) : terms;
    const first = amountFor(paid, inputTokens, output.first);
    const min = amountFor(paid, inputTokens, output.min);
    let amount = first;
    let isQuestion = false;
    if (error) {
      const { unit } = error;
      if (error.available < min[unit] || round >= 4) {
        const refused = error.ofNeeded(min[unit]);
        // Other limits may also be too low for the minimum, for reasons other than calls: all of them are checked.
        if (!refused.isHeld || error.needed <= min[unit] || round > 6) throw refused;
        amount = min;
        isQuestion = true;
      } else {
        const whole = error.ofNeeded(first[unit]);
        if (error.available < first[unit] && whole.isHeld && output.isAll && !tried.isLast) throw whole;
        amount = {
          quota: Math.min(first.quota, available.quota),
          tokens: Math.min(first.tokens, available.tokens),
        };
      }
    }
    const isPartial = amount.quota < first.quota || amount.tokens < first.tokens;
    const upTo = isPartial ? amount : amountFor(paid, inputTokens, output.max);
    try {
      const hold = await ask(paid, { inputTokens, amount, upTo, isPartial });
      if (!isQuestion) return hold;
      // An amount was released meanwhile, and may be enough for more than the minimum.
      hold.durable.catch(() => undefined);
      await terms.deps.ledger.release(terms.request.requestId);
      error = undefined;
    } catch (cause) {
      if (!(cause instanceof InsufficientQuota)) throw cause;
      const budget = cheaperBudget(terms, cause);
      if (budget) throw new OutOfBudget(budget);
      error = cause;
    }
  }
}

/** The budget that is short, if it names a cheaper model. A session cannot change its model. */
const cheaperBudget = (
  { heard }: HoldTerms,
  refused: InsufficientQuota | undefined,
): ShortBudget | undefined => (!heard && refused?.budget?.instead ? refused.budget : undefined);

const toolCounters = ['webSearchCalls', 'fileSearchCalls', 'containers', 'imageOutput'] as const;

/** The terms with the number of tool uses that `available` covers in addition to the first part of the output, if those may be limited. */
function withPaidUses(terms: HoldTerms, inputTokens: number, available: number): HoldTerms {
  const { leastUses, extras, output } = terms;
  const all = extras?.uses;
  if (!leastUses || !all || amountFor(terms, inputTokens, output.first).quota <= available) return terms;
  const limited = (maxUses: number): HoldTerms => {
    const uses: ToolUses = {};
    for (const each of toolCounters) uses[each] = Math.min((leastUses[each] ?? 0) * maxUses, all[each] ?? 0);
    return { ...terms, extras: { ...extras, uses }, maxUses };
  };
  let paid = limited(1);
  for (let maxUses = 2; ; maxUses += 1) {
    const more = limited(maxUses);
    if (amountFor(more, inputTokens, output.first).quota > available) return paid;
    paid = more;
  }
}

/**
 * The counted input, plus an estimate of parts that cannot be counted; for images and sound the tokens of their
 * request.
 */
async function countInput(terms: PriceTermsOf): Promise<number> {
  const { deps, relayCall, estimatedInput } = terms;
  if (!countsText(relayCall.facts)) return estimatedInput;
  const counted = await deps.boundPrompt(relayCall);
  // For a longer input this may be an upper bound, which is never billed.
  if (terms.maxInput <= maxCountedLength) terms.counted = counted;
  return counted + (relayCall.facts.uncountedInputTokens ?? 0);
}

/**
 * What to hold: quota units, at least one, so that an empty balance is refused even for a free model; and the tokens of
 * budgets that count them.
 */
function amountFor(terms: PriceTermsOf, input: number, output: number): Amounts {
  const { snapshot, extras, relayCall, heard } = terms;
  const usage = heard && usageOf({ ...heard, audioOutput: output });
  return {
    quota: Math.max(
      1,
      usage ? quotaOf(usage, snapshot) : holdFor(snapshot, input, output, extras, outputKind(relayCall)),
    ),
    tokens: usage ? inputTokens(usage) + outputTokens(usage) : input + output,
  };
}

const plenty: Amounts = { quota: Infinity, tokens: Infinity };

/** The kind of a call's output tokens: images have a separate price. */
const outputKind = ({ facts }: RelayCall): 'text' | 'image' =>
  facts.media?.answer === 'images' ? 'image' : 'text';

/** Output tokens to hold: the minimum to begin, the requested amount, and the amount with an ample balance. */
interface OutputTokens {
  min: number;
  first: number;
  max: number;
  /**
   * True if an answer with a smaller hold than the first part would be cut: it cannot grow, or its caller's limit is
   * larger.
   */
  isAll: boolean;
}

/**
 * The output tokens to hold for a call. An image or a sound is made whole or not at all: a hold below its price is not
 * enough to begin. Vectors have no output.
 */
function outputOf(relayCall: RelayCall, preConsumed: number): OutputTokens {
  const { stream, maxOutputTokens, choices } = relayCall.facts;
  if (!growsByTokens(relayCall)) {
    const all = maxOutputTokens * choices;
    return { min: all, first: all, max: all, isAll: true };
  }
  const bound = maxOutputTokens > 0 ? maxOutputTokens : Infinity;
  const usual = stream ? trancheTokens : wholeAnswerTokens;
  const first = Math.min(bound, Math.max(usual, preConsumed));
  const longest = maxOutputTokens > 0 ? maxOutputTokens : longAnswerTokens;
  return {
    min: Math.min(bound, minTranche) * choices,
    first: first * choices,
    // A stream has several times the bytes of its text: output that is held for at first need not be examined.
    max: Math.max(first, stream ? longAnswerTokens : longest) * choices,
    isAll: !stream || first === bound,
  };
}

function asRefusal(deps: HoldDeps, error: unknown, { facts, caller }: RelayCall): unknown {
  if (error instanceof LedgerUnavailable) return refuse('ledger_unavailable');
  if (!(error instanceof InsufficientQuota)) return error;
  return quotaRefusal(deps, error, caller, facts.media?.answer === 'images' ? 'image' : 'chat');
}

/**
 * The refusal for a caller without enough quota: the kind of quota that is short, and the missing amount. Amounts that
 * other calls hold count as left: a key with nothing left gets the same refusal as at admission, and one with enough
 * gets an error that allows a retry.
 */
export function quotaRefusal(
  deps: Pick<HoldDeps, 'showQuota'>,
  error: InsufficientQuota,
  { maskedKey }: Pick<Caller, 'maskedKey'>,
  what = 'chat',
): RelayError {
  if (error instanceof AboveCeiling) return tooLow(deps, error.available, error.needed);
  if (error.isHeld) return refuse('quota_held');
  if (error.budget) return budgetReached(deps, error.budget);
  const { reason, unheld } = error;
  const available = deps.showQuota(unheld);
  const needed = deps.showQuota(error.needed);
  if (reason === 'token') {
    if (unheld <= 0) return refuse('token_without_quota', { key: maskedKey, remaining: unheld });
    return refuse('hold_exceeds_token_quota', { available, needed });
  }
  if (reason === 'member') return refuse('hold_exceeds_member_limit', { available, needed });
  if (unheld <= 0) return refuse('insufficient_user_quota');
  return refuse('hold_exceeds_user_quota', { what, available, needed });
}

/** Ids of the budgets of a call: those that apply to it, and those of its run. Undefined if there are none. */
export function callBudgets(
  deps: Pick<GatewayDeps, 'budgetsOf'>,
  { tokenId, userId, team }: Pick<Caller, 'tokenId' | 'userId' | 'team'>,
  group: string,
  model: string,
  ofRun?: readonly number[],
): readonly number[] | undefined {
  const own = deps.budgetsOf({ tokenId, userId, teamId: team?.id ?? 0, group, model });
  return own && ofRun ? [...own, ...ofRun] : (own ?? ofRun);
}

/** The data of a hold: the payer, and what recovery needs for a log row. */
export const holdRequest = (
  deps: Pick<GatewayDeps, 'budgetsOf' | 'isTokenBudget'>,
  relayCall: RelayCall,
  admission: Admission,
  first: Channel,
  ofRun?: readonly number[],
  model = relayCall.facts.model,
  budgets = callBudgets(deps, relayCall.caller, admission.group, model, ofRun),
) => ({
  requestId: relayCall.requestId,
  accountId: relayCall.caller.accountId,
  userId: relayCall.caller.userId,
  tokenId: relayCall.caller.tokenId,
  tokenUnlimited: relayCall.caller.tokenUnlimited,
  memberId: relayCall.caller.team?.memberId ?? 0,
  budgets,
  // None is held yet, if one of the budgets counts them.
  ...(budgets?.some((id) => deps.isTokenBudget(id)) && { tokens: 0 }),
  channelId: first.id,
  request: holdNote(relayCall, admission),
});

/** The JSON note beside a hold: the data of a log row in case the process dies. */
const holdNote = (
  { caller, facts, startedAt, tags }: RelayCall,
  { group, pricedModel, cheaperBy }: Admission,
): string =>
  JSON.stringify({
    model: facts.model,
    group,
    username: caller.username,
    token: caller.tokenName,
    stream: facts.stream,
    ...(pricedModel !== facts.model && { pricedModel }),
    ...(cheaperBy !== undefined && { cheaperBy }),
    at: Math.floor(startedAt / 1000),
    ...(caller.team && { team: caller.team.id, teamName: caller.team.name }),
    ...(tags && { tags }),
  });

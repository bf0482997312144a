import {
  type BudgetUnit,
  findFacts,
  heldInput,
  holdFor,
  inputTokens,
  isPlausible,
  outputTokens as outputTokensOf,
  type PriceExtras,
  type PriceSnapshot,
  quotaOf,
  type ToolUses,
  type Usage,
  type UsageCounter,
  usageOf,
  withoutOutput,
} from '@tollgate/contract';
import { wallTime } from '../../lib/calendar-windows.ts';
import { isObject, type Json, type JsonObject, splice } from '../../lib/json.ts';
import { type ProtocolId, refuse, type RelayError } from '../../relay/types/index.ts';
import {
  type CallLedger,
  InsufficientQuota,
  type ReserveRequest,
  type ShortBudget,
} from '../../services/money/ledger/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { ceilingReached } from './ceiling.ts';
import type { MediaTokens } from './meter.ts';

/** Minimum growth of a hold while streaming, in output tokens; holds of long answers grow by a quarter. */
const trancheTokens = 2_000;
/** Tokens of sound that the hold of a realtime response covers at first and grows by: half a minute of speech. */
export const soundTranche = 500;
/** A balance that does not cover even this many more tokens has ended; of speech, about a second. */
export const minTranche = 16;
/** The number of tokens that count as paid if output costs nothing. */
const freeTokens = 1_000_000;
/** Length of an answer without a limit of the caller's: held if the balance is ample. */
export const longAnswerTokens = 32_000;
/** More tokens than any answer has. */
const maxTokens = 2 ** 31;

/** What a call needs or has of each unit of budgets. */
export interface Amounts {
  /** Quota units. */
  readonly quota: number;
  /** Tokens in and out. */
  readonly tokens: number;
}

const nothing: Amounts = { quota: 0, tokens: 0 };
const units = ['quota', 'tokens'] as const;

/** Tokens of a usage, as budgets count them. */
export const tokensOf = (usage: Usage): number => inputTokens(usage) + outputTokensOf(usage);

/** The parts of a new hold. */
interface HoldParts {
  ledger: Pick<CallLedger, 'extend' | 'whenReleased'>;
  showQuota: GatewayDeps['showQuota'];
  requestId: string;
  payer: Pick<ReserveRequest, 'accountId' | 'tokenId' | 'memberId'>;
  snapshot: PriceSnapshot;
  note: string;
  extras: PriceExtras | undefined;
  /** Input tokens of the hold: an upper bound, or a count. */
  inputTokens: number;
  /** Quota units. */
  amount: number;
  /** Tokens held on budgets that count them; Infinity if none applies to the call. */
  tokens: number;
  isPartial: boolean;
  /** Limit on uses of tools for the upstream, if fewer uses are held than the answer may make. */
  maxUses?: number | undefined;
  /** True if the ledger granted all that the longest answer may cost. */
  coversLongestAnswer?: boolean;
  /** The most that the call may cost, in quota units; undefined for no ceiling. */
  ceiling?: number | undefined;
  /** True for a response of a realtime session, which is held for by its possible sound. */
  isSpoken?: boolean;
}

/** The hold of one running request: its amount and its growth. */
export class Hold {
  readonly durable: Promise<void>;
  /** The text beside the hold, from which recovery writes a log row. */
  note: string;
  /** Input tokens that are held for. */
  inputTokens: number;
  /** Input tokens as counted by Tollgate; undefined if they were not counted. */
  countedInput: number | undefined;
  /** Quota units held now. */
  amount: number;
  /** Tokens held now on budgets that count them; Infinity if none applies to the call. */
  tokens: number;
  /** True if an extension was refused since the last delivery: the balance has no more. */
  exhausted = false;
  /** True if that extension failed because the ledger is unavailable: the balance is unknown. */
  ledgerFailed = false;
  /** True if the last extension was refused only because other calls hold the rest. */
  isBlocked = false;
  /** True if the last extension was refused because the call would cost more than its ceiling. */
  isAtCeiling = false;
  /** Set if the last extension was refused because of a budget. */
  shortBudget: ShortBudget | undefined;
  /** The last budget that refused an extension and names a cheaper model, also if other calls hold its rest. */
  cheaper: ShortBudget | undefined;
  /** The most that the call may cost, in quota units. */
  readonly ceiling: number | undefined;
  /** True if the balance did not cover what such a request holds at first. */
  isPartial: boolean;
  /** True while the hold covers the longest likely answer: then nothing has to be counted. */
  coversLongestAnswer: boolean;
  /** Resolves when the running extension is over, with or without success; undefined if none is running. */
  extending: Promise<void> | undefined;
  private readonly ledger: HoldParts['ledger'];
  /** An amount as text, for refusals. */
  readonly showQuota: HoldParts['showQuota'];
  private readonly requestId: string;
  private readonly payer: HoldParts['payer'];
  snapshot: PriceSnapshot;
  private extras: PriceExtras | undefined;
  private readonly isSpoken: boolean;
  /** Limit on uses of tools for the upstream, because more are not held; undefined for none. */
  readonly maxUses: number | undefined;
  /** Uses of tools that the vendor has reported so far; undefined before the first one. */
  reportedUses: ToolUses | undefined;
  /** True if nothing was read since the vendor's last report: it covers all that was delivered. */
  isReportCurrent = false;
  /** The input as the vendor reported it; replaces Tollgate's own count. */
  private reportedInput: Usage | undefined;
  /** What the usage reported so far needs. */
  reported = nothing;

  constructor(parts: HoldParts, durable: Promise<void>) {
    this.ledger = parts.ledger;
    this.showQuota = parts.showQuota;
    this.requestId = parts.requestId;
    this.payer = parts.payer;
    this.snapshot = parts.snapshot;
    this.note = parts.note;
    this.extras = parts.extras;
    this.inputTokens = parts.inputTokens;
    this.amount = parts.amount;
    this.tokens = parts.tokens;
    this.isPartial = parts.isPartial;
    this.maxUses = parts.maxUses;
    this.isSpoken = parts.isSpoken ?? false;
    this.ceiling = parts.ceiling;
    this.coversLongestAnswer = parts.coversLongestAnswer ?? false;
    this.durable = durable;
  }

  /** From now on the call has another price. Nothing was delivered at the old one, so what was reported then is void. */
  reprice({ snapshot, extras, note }: Pick<HoldParts, 'snapshot' | 'extras' | 'note'>): void {
    this.snapshot = snapshot;
    this.extras = extras;
    this.note = note;
    this.exhausted = false;
    this.cheaper = undefined;
    this.reportedInput = undefined;
    this.reportedUses = undefined;
    this.reported = nothing;
  }

  /** Uses of tools that are held for. */
  get uses(): ToolUses | undefined {
    return this.extras?.uses;
  }

  /** True if the request offers a tool that is charged by its uses. */
  get coversUses(): boolean {
    return this.extras?.uses !== undefined;
  }

  /** The most that the request has cost with this many output tokens of text, and with images and sound (quota units). */
  costAt(outputTokens: number, media?: MediaTokens): number {
    const { reportedInput, reportedUses, snapshot, extras } = this;
    if (!reportedInput && !reportedUses && !media)
      return holdFor(snapshot, this.inputTokens, outputTokens, extras);
    const input = reportedInput ?? heldInput(this.inputTokens, extras);
    const usage: Usage = { ...input, ...media, output: outputTokens };
    return quotaOf(
      { ...usage, ...moreUses(moreUses(media ?? {}, extras?.uses), reportedUses) },
      snapshot,
      extras,
    );
  }

  /** What the request has needed at most with this many output tokens of text, and with images and sound. */
  needAt(outputTokens: number, media?: MediaTokens): Amounts {
    return { quota: this.costAt(outputTokens, media), tokens: this.tokensAt(outputTokens, media) };
  }

  private tokensAt(outputTokens: number, media?: MediaTokens): number {
    const input = this.reportedInput ? inputTokens(this.reportedInput) : this.inputTokens;
    return input + outputTokens + (media ? media.imageOutput + media.audioOutput : 0);
  }

  /** What a usage needs at the prices of this call, and the containers that are held: they are charged at the end. */
  needOf(usage: Usage): Amounts {
    const { snapshot, extras } = this;
    const containers = extras?.uses?.containers;
    const needed = containers ? { ...usage, containers } : usage;
    return { quota: quotaOf(needed, snapshot, extras), tokens: inputTokens(usage) + outputTokensOf(usage) };
  }

  /** True if the hold covers a need in both units. */
  covers({ quota, tokens }: Amounts): boolean {
    return quota <= this.amount && tokens <= this.tokens;
  }

  /** What the hold lacks to cover a need. */
  missingOf({ quota, tokens }: Amounts): Amounts {
    return { quota: Math.max(0, quota - this.amount), tokens: Math.max(0, tokens - this.tokens) };
  }

  /** The cost of output tokens after this call's input, which may determine their price. */
  private costOfOutput(tokens: number): number {
    const { snapshot, extras } = this;
    if (this.isSpoken) return quotaOf(usageOf({ audioOutput: tokens }), snapshot);
    if (snapshot.contextTiers === undefined && extras?.tier === undefined)
      return holdFor(snapshot, 0, tokens);
    const context = this.reportedInput ? inputTokens(this.reportedInput) : this.inputTokens;
    const tier = this.reportedInput?.tier ?? extras?.tier;
    return holdFor(snapshot, 0, tokens, { context, ...(tier !== undefined && { tier }) });
  }

  /** Records a reported usage, of the whole call or of its input only; an absurd usage is ignored. */
  noteReported(usage: Usage): void {
    if (!isPlausible(usage)) return;
    // A vendor may report only the output.
    if (inputTokens(usage) > 0) this.reportedInput = withoutOutput(usage);
    if (this.coversUses || usage.webSearchCalls + usage.fileSearchCalls > 0)
      this.reportedUses = moreUses(usage, this.reportedUses);
    this.reported = this.needOf(usage);
  }

  /** The cost of a usage at the prices of this call, in quota units. */
  costOf(usage: Usage): number {
    return quotaOf(usage, this.snapshot, this.extras);
  }

  /** A usage whose `estimates` are lowered, one after the other, until the hold covers it. */
  lowerToHold(usage: Usage, estimates: readonly UsageCounter[]): Usage {
    return lowerEstimates(usage, estimates, (lower) => this.covers(this.needOf(lower)));
  }

  /**
   * Output tokens that are still covered beyond `outputTokens` and `media`, rounded down; below 0 if those are not
   * covered, large if output is free.
   */
  tokensLeft(outputTokens: number, media?: MediaTokens): number {
    if (this.tokens === Infinity) return this.tokensPaidBy(this.amount, outputTokens, media);
    const left = this.tokens - this.tokensAt(outputTokens, media);
    return Math.min(this.tokensPaidBy(this.amount, outputTokens, media), left);
  }

  private tokensPaidBy(amount: number, outputTokens: number, media?: MediaTokens): number {
    const perMillion = this.costOfOutput(1_000_000);
    const left = amount - this.costAt(outputTokens, media);
    // Sound has a separate price.
    if (perMillion <= 0 || this.snapshot.mode === 'call') return media && left < 0 ? left : freeTokens;
    // Costs are rounded: the last unit may be used up already.
    return Math.floor(((left > 0 ? left - 1 : left) * 1_000_000) / perMillion);
  }

  /** True if this many output tokens are certainly covered; for very large numbers use `paidTokens`. */
  pays(outputTokens: number): boolean {
    if (outputTokens > freeTokens || this.costAt(outputTokens) > this.amount) return false;
    return this.tokens === Infinity || this.tokensAt(outputTokens) <= this.tokens;
  }

  /** Output tokens that the hold covers, to the unit; a million if output costs nothing and no budget counts tokens. */
  get paidTokens(): number {
    const paid = this.tokensFor(this.amount);
    return this.tokens === Infinity ? paid : Math.max(0, Math.min(paid, this.tokens - this.tokensAt(0)));
  }

  private tokensFor(amount: number): number {
    const guess = Math.max(0, this.tokensPaidBy(amount, 0));
    let tokens = this.costAt(guess) <= amount ? guess : 0;
    if (this.snapshot.mode === 'call' || this.costOfOutput(1_000_000) <= 0) return tokens;
    // Costs are rounded, so the estimate is close but seldom exact, and the caller gets all that is paid for.
    for (let step = 1; step >= 1 && tokens < maxTokens;) {
      const isPaid = this.costAt(tokens + step) <= amount;
      if (isPaid) tokens += step;
      step = isPaid ? step * 2 : Math.floor(step / 2);
    }
    return tokens;
  }

  /** The amount that the call's ceiling covers; undefined without one. */
  get upToCeiling(): PaidFor | undefined {
    const { ceiling } = this;
    if (ceiling === undefined) return undefined;
    return {
      paidTokens: this.tokensFor(ceiling),
      pays: (outputTokens) => outputTokens <= freeTokens && this.costAt(outputTokens) <= ceiling,
      isPartial: true,
    };
  }

  /** Reason why the hold did not grow. */
  get shortage(): RelayError {
    if (this.isAtCeiling) return ceilingReached();
    if (this.shortBudget) return budgetReached(this, this.shortBudget);
    return refuse(this.isBlocked ? 'quota_held' : 'insufficient_user_quota');
  }

  /** The error of a call of which nothing was delivered: it may go on with the cheaper model of a budget. */
  get refusal(): RelayError | OutOfBudget {
    return this.cheaper ? new OutOfBudget(this.cheaper) : this.shortage;
  }

  /**
   * Extends the hold to `need` and a tranche beyond, or by as much as is available. If other calls hold all of it, it
   * waits for them. One extension runs at a time, and none follows a refused one.
   */
  extend({ quota, tokens } = nothing): void {
    if (this.extending || this.exhausted) return;
    this.ledgerFailed = false;
    const { reported } = this;
    const need = { quota: Math.max(quota, reported.quota), tokens: Math.max(tokens, reported.tokens) };
    this.extending = this.growWhenReleased(this.missingOf(need))
      .catch((error: unknown) => {
        // The wait failed, or the ledger is unavailable: only the held part is delivered.
        this.exhausted = true;
        this.ledgerFailed = !(error instanceof InsufficientQuota);
        if (error instanceof InsufficientQuota) this.noteShortage(error);
      })
      .finally(() => {
        this.extending = undefined;
      });
  }

  /** Holds for this number of uses of tools; false if the rest is not enough for those that are not held yet. */
  async coverUses(uses: ToolUses): Promise<boolean> {
    const { extras } = this;
    const before = this.costAt(0);
    this.extras = { ...extras, uses: moreUses(uses, extras?.uses) };
    const more = this.costAt(0) - before;
    if (more <= 0 || (await this.extendBy('quota', more))) return true;
    this.extras = extras;
    return false;
  }

  private async growWhenReleased(missing: Amounts): Promise<void> {
    const short = await this.growInEach(missing);
    if (!short) return;
    this.exhausted = true;
    if (!this.isBlocked) return;
    const least = missing[short] > 0 ? missing[short] : this.moreOf(short, minTranche);
    if (!this.isWithinCeiling(short, least)) return;
    const waiting = { payer: this.payer, isRunning: true } as const;
    const isGranted = await this.ledger.whenReleased(waiting, () => this.askFor(short, least));
    // In both cases other calls no longer block it.
    this.isBlocked = false;
    if (!isGranted) return;
    this.add(short, least);
    this.exhausted = false;
  }

  /** What output tokens add to the hold in a unit; at least one. */
  private moreOf(unit: BudgetUnit, tokens: number): number {
    return unit === 'tokens' ? tokens : Math.max(1, this.costOfOutput(tokens));
  }

  /**
   * Extends the hold by `missing` and a tranche beyond, by `missing`, or by as much as there is now; false if there is
   * nothing. If nothing is missing, the unit that covers less output grows.
   */
  async grow(missing: Amounts): Promise<boolean> {
    return (await this.growInEach(missing)) === undefined;
  }

  /** Returns the unit that did not grow; undefined if none was refused. */
  private async growInEach(missing: Amounts): Promise<BudgetUnit | undefined> {
    const lacking = units.filter((unit) => missing[unit] > 0);
    const growing = lacking.length > 0 ? lacking : [this.tighterUnit];
    for (const unit of growing) if (!(await this.growIn(unit, missing[unit]))) return unit;
    return undefined;
  }

  private get tighterUnit(): BudgetUnit {
    return this.tokens - this.tokensAt(0) < this.tokensPaidBy(this.amount, 0) ? 'tokens' : 'quota';
  }

  private async growIn(unit: BudgetUnit, missing: number): Promise<boolean> {
    const tranche = this.isSpoken
      ? soundTranche
      : Math.max(trancheTokens, Math.floor(this.tokensLeft(0) / 4));
    const minMore = this.moreOf(unit, minTranche);
    const wanted = missing + this.moreOf(unit, tranche);
    const ceiling = unit === 'quota' ? (this.ceiling ?? Infinity) : Infinity;
    const maxMore = Math.min(wanted, Math.max(1, ceiling - this.amount));
    if (await this.extendBy(unit, maxMore)) return true;
    this.coversLongestAnswer = false;
    if (missing > 0 && missing < maxMore && (await this.extendBy(unit, missing))) return true;
    for (let more = maxMore; more > minMore;) {
      more = Math.max(minMore, Math.floor(more / 4));
      if (await this.extendBy(unit, more)) return true;
    }
    return false;
  }

  private isWithinCeiling(unit: BudgetUnit, more: number): boolean {
    if (this.ceiling === undefined || unit === 'tokens') return true;
    this.isAtCeiling = this.amount + more > this.ceiling;
    return !this.isAtCeiling;
  }

  private askFor(unit: BudgetUnit, more: number): Promise<boolean> {
    return unit === 'tokens'
      ? this.ledger.extend(this.requestId, 0, more)
      : this.ledger.extend(this.requestId, more);
  }

  private add(unit: BudgetUnit, more: number): void {
    if (unit === 'tokens') this.tokens += more;
    else this.amount += more;
  }

  private noteShortage({ isHeld, budget }: InsufficientQuota): void {
    this.isBlocked = isHeld;
    this.shortBudget = isHeld ? undefined : budget;
    if (budget?.instead) this.cheaper = budget;
  }

  private async extendBy(unit: BudgetUnit, more: number): Promise<boolean> {
    this.isBlocked = false;
    this.shortBudget = undefined;
    if (!this.isWithinCeiling(unit, more)) return false;
    try {
      if (!(await this.askFor(unit, more))) return false;
    } catch (error) {
      if (!(error instanceof InsufficientQuota)) throw error;
      this.noteShortage(error);
      return false;
    }
    this.add(unit, more);
    return true;
  }
}

/** A budget has no room for a call and names a cheaper model for it. */
export class OutOfBudget extends Error {
  readonly budget: ShortBudget;

  constructor(budget: ShortBudget) {
    super(`no room in budget ${budget.id}`);
    this.budget = budget;
  }
}

/** The refusal of a call that a budget or the limits of its run do not cover. */
export function budgetReached(
  { showQuota }: Pick<GatewayDeps, 'showQuota'>,
  { name, end, timeZone, resetsIn, isRun, isSliding, unit, amount, left, calls }: ShortBudget,
): RelayError {
  if (isRun && calls !== undefined) return refuse('run_calls_reached', { run: name, calls });
  if (isRun) return refuse('run_reached', { run: name, left: showQuota(left) });
  const isNever = isSliding && resetsIn === undefined;
  const until = `${wallTime(timeZone, end)} (${timeZone})`;
  const retry = resetsIn === undefined ? {} : { retryAfterSeconds: resetsIn };
  if (unit === 'tokens') {
    const headers = {
      'x-ratelimit-limit-tokens': String(amount),
      'x-ratelimit-remaining-tokens': String(left),
    };
    if (isNever) return refuse('whole_token_budget_exceeded', { budget: name, amount }, { headers });
    const code = isSliding ? 'sliding_token_budget_reached' : 'token_budget_reached';
    return refuse(code, { budget: name, left, amount, until }, { ...retry, headers });
  }
  if (isNever) return refuse('whole_budget_exceeded', { budget: name });
  return refuse(isSliding ? 'sliding_budget_reached' : 'budget_reached', { budget: name, until }, retry);
}

/** A usage whose `estimates` are lowered, one after the other, until the hold covers it. */
function lowerEstimates(
  usage: Usage,
  estimates: readonly UsageCounter[],
  isPaid: (usage: Usage) => boolean,
): Usage {
  const paid = { ...usage };
  for (const counter of estimates) {
    paid[counter] = maxPaid(paid[counter], (count) => isPaid({ ...paid, [counter]: count }));
  }
  return paid;
}

/** The largest count up to `count` that is covered; 0 if none is. A cost never decreases when a counter increases. */
function maxPaid(count: number, isPaid: (count: number) => boolean): number {
  if (isPaid(count)) return count;
  let paid = 0;
  for (let unpaid = count; unpaid - paid > 1;) {
    const middle = Math.floor((paid + unpaid) / 2);
    if (isPaid(middle)) paid = middle;
    else unpaid = middle;
  }
  return paid;
}

/** The larger number of uses of each tool. */
export const moreUses = (
  { webSearchCalls, fileSearchCalls, containers, imageOutput }: ToolUses,
  than: ToolUses | undefined,
): Required<ToolUses> => ({
  webSearchCalls: Math.max(webSearchCalls ?? 0, than?.webSearchCalls ?? 0),
  fileSearchCalls: Math.max(fileSearchCalls ?? 0, than?.fileSearchCalls ?? 0),
  containers: Math.max(containers ?? 0, than?.containers ?? 0),
  imageOutput: Math.max(imageOutput ?? 0, than?.imageOutput ?? 0),
});

/** The fields that limit an answer's length, by the caller's protocol; the preferred one first. */
const boundFields: Partial<Record<ProtocolId, readonly string[]>> = {
  'openai-chat': ['max_completion_tokens', 'max_tokens'],
  'openai-completions': ['max_tokens'],
  'openai-responses': ['max_output_tokens'],
  'anthropic-messages': ['max_tokens'],
};

/** True if an answer is text that can be limited to a number of tokens; not for vectors, images and sound. */
export const growsByTokens = ({ inbound, facts }: Pick<RelayCall, 'inbound' | 'facts'>): boolean =>
  facts.media === undefined && (inbound.id === 'gemini' || boundFields[inbound.id] !== undefined);

/** The parts of a hold that decide the limit of an answer. */
interface PaidFor {
  /** Output tokens that are covered. */
  readonly paidTokens: number;
  /** True if this number is certainly covered; faster than computing the exact number. */
  pays(outputTokens: number): boolean;
  /** True if the balance did not cover what such a request usually holds at first. */
  readonly isPartial: boolean;
  /** The most uses of tools that are covered, if that is less than the answer may make. */
  readonly maxUses?: number | undefined;
  /** The amount that the call's ceiling covers; absent without one. */
  readonly upToCeiling?: PaidFor | undefined;
}

/** A limit that nearly every model accepts; models refuse limits above their own. */
const acceptedEverywhere = 4_096;

/**
 * The request with its answer limited to the amount that the hold covers. A stream is cut when its balance ends, but an
 * answer in one piece is delivered as a whole or not at all: without a limit, a caller with a small balance would get
 * more than that. A limit set by the caller is never left above the hold. If the caller set none, one is added only
 * when the balance is nearly used up, because models refuse limits above their own. Unchanged if the hold covers the
 * request. The uses of tools are limited in the upstream's protocol. If the call has a ceiling, every answer is limited
 * to it, a stream as well.
 */
export function boundToHold(relayCall: RelayCall, hold: PaidFor, overridden?: RelayCall): RelayCall {
  const { maxUses } = hold;
  const bounded = boundOutput(relayCall, hold);
  const mostOverridden = overridden && mostOutput(overridden, hold);
  if (maxUses === undefined && mostOverridden === undefined) return bounded;
  const limits = {
    ...(maxUses !== undefined && { maxUses }),
    ...(mostOverridden !== undefined && { mostOverridden }),
  };
  return { ...bounded, facts: { ...bounded.facts, ...limits } };
}

/** Output tokens for each answer that a hold covers, if a channel's override may ask for more. */
function mostOutput(overridden: RelayCall, hold: PaidFor): number | undefined {
  const { stream, maxOutputTokens: limit, choices } = overridden.facts;
  const paid = stream ? hold.upToCeiling : hold;
  if (!paid || !growsByTokens(overridden)) return undefined;
  if (limit === 0 ? !hold.isPartial : paid.pays(limit * choices)) return undefined;
  return Math.max(1, Math.floor(paid.paidTokens / choices));
}

function boundOutput(relayCall: RelayCall, hold: PaidFor): RelayCall {
  const { facts, json, raw } = relayCall;
  const limit = facts.maxOutputTokens;
  const paid = facts.stream || (limit === 0 && !hold.isPartial) ? hold.upToCeiling : hold;
  if (!paid || !growsByTokens(relayCall)) return relayCall;
  if (limit > 0 && paid.pays(limit * facts.choices)) return relayCall;
  const each = Math.max(1, Math.floor(paid.paidTokens / facts.choices));
  if (limit > 0 && limit <= each) return relayCall;
  const known = paid === hold ? undefined : findFacts(facts.model)?.output;
  // No answer is longer.
  if (paid !== hold && limit === 0 && each >= (known ?? longAnswerTokens)) return relayCall;
  const tokens = limit > 0 ? each : Math.min(each, known ?? acceptedEverywhere);
  const changes = changesFor(relayCall, tokens);
  const texts = Object.entries(changes).map(([name, value]): [string, string] => [
    name,
    JSON.stringify(value),
  ]);
  return { ...relayCall, json: { ...json, ...changes }, raw: splice(raw, new Map(texts)) };
}

/** The fields of the body that limit the answer to `tokens`. */
function changesFor(relayCall: RelayCall, tokens: number): Record<string, Json> {
  const { json, inbound } = relayCall;
  if (inbound.id === 'gemini') {
    // Both spellings are accepted; the one that the caller used is changed.
    const { generationConfig: config, generation_config: spelt } = json;
    return {
      ...(isObject(spelt) && { generation_config: { ...spelt, max_output_tokens: tokens } }),
      ...((isObject(config) || !isObject(spelt)) && {
        generationConfig: { ...(isObject(config) && config), maxOutputTokens: tokens },
      }),
    };
  }
  const field = fieldOf(relayCall);
  return {
    ...(field !== undefined && { [field]: tokens }),
    ...(inbound.id === 'anthropic-messages' && shorterThinking(json, tokens)),
  };
}

/** Claude's smallest budget for thinking. */
const minThinking = 1_024;

/** Claude refuses a thinking budget that is not below the limit: it becomes half of the limit, or thinking is disabled. */
function shorterThinking({ thinking }: JsonObject, tokens: number): Record<string, Json> {
  const budget = isObject(thinking) ? thinking.budget_tokens : undefined;
  if (typeof budget !== 'number' || budget < tokens) return {};
  if (tokens <= minThinking) return { thinking: { type: 'disabled' } };
  return { thinking: { type: 'enabled', budget_tokens: Math.max(minThinking, Math.floor(tokens / 2)) } };
}

/** The field that the caller used, otherwise the one that the model accepts. */
function fieldOf({ inbound, json, facts }: RelayCall): string | undefined {
  const fields = boundFields[inbound.id];
  const used = fields?.find((name) => typeof json[name] === 'number');
  if (used !== undefined || inbound.id !== 'openai-chat') return used ?? fields?.[0];
  // OpenAI's reasoning models refuse max_tokens; most other vendors accept only that field.
  return /^(o\d|gpt-5)/.test(facts.model) ? 'max_completion_tokens' : 'max_tokens';
}

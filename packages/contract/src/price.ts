import { decimalText, parseDecimal, ratioDigits, scaledRatio } from './price-decimal.ts';
import { type AppliedTiers, contextIndex, factorsOf, serviceTierOf } from './price-terms.ts';
import { unitsFor, type PriceSnapshot, type Units } from './price-units.ts';
import { maxQuota } from './quota.ts';
import {
  inputTokens,
  type ToolUses,
  usageCounters,
  usageOf,
  type Usage,
  type UsageCounter,
} from './usage.ts';

export type { PriceMode, PriceSnapshot } from './price-units.ts';

/** Charges of a call beyond its usage. */
export interface PriceExtras {
  /** Number of units with a price per call, such as images. The default is 1 if anything was used, otherwise 0. */
  calls?: number;
  /** Factor on the price of each call, such as size and quality of images (`imageFactor`); 1 by default. */
  factor?: number;
  /** Input tokens that select the price tier, if the usage does not contain them. */
  context?: number;
  /** A service tier that the vendor may report. Holds use its price. */
  tier?: string;
  /** Tool uses that a hold includes beside the tokens. */
  uses?: ToolUses;
  /** Counter for the price of held input; `input` by default. */
  inputAs?: 'cacheWrite5m' | 'cacheWrite1h';
}

/** One line of a bill: `count` × `unit` = `amount`, in quota units as exact decimal text. */
export interface Term {
  what: UsageCounter | 'calls';
  count: number;
  unit: string;
  amount: string;
}

/** A charge and its lines: `quota` is the sum of the lines, rounded half away from zero, but at least `minimum`. */
export interface Bill {
  quota: number;
  /** 1 if something was used at a price above 0, otherwise 0. */
  minimum: 0 | 1;
  terms: Term[];
  /** Tiers of the unit prices in the lines; absent for the plain price. */
  tiers?: AppliedTiers;
}

const unitsKey = Symbol('units');
const tiersKey = Symbol('tiers');
interface Prepared {
  readonly [unitsKey]?: Units;
  /** Unit prices of the snapshot's tiers, computed on first use. */
  readonly [tiersKey]?: Map<string, Units>;
}

/**
 * Freezes a snapshot and multiplies its ratios. Pricing works with any snapshot, but is fast only with a prepared
 * one. The products are in a hidden property, which JSON and copies do not include. Throws RangeError for a negative
 * or unusable ratio.
 */
export function prepareSnapshot(snapshot: PriceSnapshot): PriceSnapshot {
  const copy: PriceSnapshot = { ...snapshot };
  Object.defineProperty(copy, unitsKey, { value: unitsFor(copy), enumerable: false });
  if (isTiered(copy)) Object.defineProperty(copy, tiersKey, { value: new Map(), enumerable: false });
  return Object.freeze(copy);
}

const isTiered = ({ contextTiers, serviceTiers }: PriceSnapshot): boolean =>
  contextTiers !== undefined || serviceTiers !== undefined;

/** Service tier of calls in batches. */
export const batchTier = 'batch';

/** A price with a tier of batches: its own, or else one of this factor. */
export function withBatchTier(snapshot: PriceSnapshot, factor: number): PriceSnapshot {
  const tiers = snapshot.serviceTiers ?? {};
  return serviceTierOf(snapshot, batchTier)
    ? snapshot
    : prepareSnapshot({ ...snapshot, serviceTiers: { ...tiers, [batchTier]: { factor } } });
}

/** The extras of a call in a batch: a price per call has no tiers. */
export const batchExtras = (snapshot: PriceSnapshot): PriceExtras | undefined =>
  snapshot.mode === 'call'
    ? { calls: 1, factor: serviceTierOf(snapshot, batchTier)?.factor ?? 1 }
    : undefined;

/** Tiers that apply to a usage; undefined for the plain price. */
function tiersOf(usage: Usage, snapshot: PriceSnapshot, extras?: PriceExtras): AppliedTiers | undefined {
  if (snapshot.contextTiers === undefined && snapshot.serviceTiers === undefined) return undefined;
  const context = snapshot.contextTiers?.[contextIndex(snapshot, extras?.context ?? inputTokens(usage))];
  const name = usage.tier ?? extras?.tier;
  const service = serviceTierOf(snapshot, name);
  if (!context && !service) return undefined;
  return { ...(context && { context }), ...(service && { service: { name: name!, ...service } }) };
}

function unitsOf(snapshot: PriceSnapshot & Prepared, tiers: AppliedTiers | undefined): Units {
  if (tiers === undefined) return snapshot[unitsKey] ?? unitsFor(snapshot);
  const known = snapshot[tiersKey];
  const key = `${tiers.context?.above ?? 0} ${tiers.service?.name ?? ''}`;
  const units = known?.get(key) ?? unitsFor(snapshot, factorsOf(tiers));
  known?.set(key, units);
  return units;
}

/**
 * Charge of one call in quota units (docs/compatibility.md#charge over disjoint counters): the exact sum of counters
 * × unit prices, rounded once, half away from zero. At least 1 if the price is above 0 and something was used; 0 if
 * nothing was used.
 */
export function quotaOf(usage: Usage, snapshot: PriceSnapshot, extras?: PriceExtras): number {
  return quotaBy(unitsOf(snapshot, tiersOf(usage, snapshot, extras)), usage, extras);
}

function quotaBy(units: Units, usage: Usage, extras: PriceExtras | undefined): number {
  const calls = callsOf(usage, extras);
  const { fast } = units;
  if (fast !== null && extras?.factor === undefined) {
    const sum =
      usage.input * fast.input +
      usage.cacheRead * fast.cacheRead +
      usage.cacheWrite5m * fast.cacheWrite5m +
      usage.cacheWrite1h * fast.cacheWrite1h +
      usage.imageInput * fast.imageInput +
      usage.audioInput * fast.audioInput +
      (usage.output + usage.reasoning) * fast.output +
      usage.imageOutput * fast.imageOutput +
      usage.audioOutput * fast.audioOutput +
      usage.webSearchCalls * fast.webSearchCalls +
      usage.fileSearchCalls * fast.fileSearchCalls +
      usage.containers * fast.containers +
      calls * fast.call;
    if (isExact(sum)) return roundedQuota(sum, fast.scale) || minimumOf(usage, units, calls);
  }
  return exactQuota(usage, units, calls, extras?.factor);
}

/** No summand is negative, so a sum within the safe integers means that every step was exact. */
const isExact = (sum: number): boolean => sum >= 0 && Number.isSafeInteger(sum);

/** Converts a sum of unit prices to quota: rounded half away from zero, at most the largest amount. */
function roundedQuota(sum: number, scale: number): number {
  const rest = sum % scale;
  return Math.min((sum - rest) / scale + (rest * 2 >= scale ? 1 : 0), maxQuota);
}

function exactQuota(usage: Usage, units: Units, calls: number, factor: number | undefined): number {
  let sum = 0n;
  for (const name of usageCounters) {
    if (usage[name] > 0) sum += BigInt(usage[name]) * units.exact[name];
  }
  let scale = units.scale;
  if (factor === undefined) {
    sum += BigInt(calls) * units.call;
  } else {
    const one = 10n ** BigInt(ratioDigits);
    sum = sum * one + BigInt(calls) * units.call * scaledRatio(factor, 'factor');
    scale *= one;
  }
  const rounded = (sum + scale / 2n) / scale;
  if (rounded === 0n) return minimumOf(usage, units, calls);
  return rounded > BigInt(maxQuota) ? maxQuota : Number(rounded);
}

/** Minimum charge: 1 if the price is above 0 and something was used. */
function minimumOf(usage: Usage, units: Units, calls: number): 0 | 1 {
  if (!units.charges) return 0;
  const used = units.call > 0n ? calls > 0 : !isUnused(usage);
  return used ? 1 : 0;
}

function callsOf(usage: Usage, extras: PriceExtras | undefined): number {
  if (extras?.calls !== undefined) return extras.calls;
  return isUnused(usage) ? 0 : 1;
}

const isUnused = (usage: Usage): boolean =>
  usage.input + usage.output === 0 && usageCounters.every((name) => usage[name] === 0);

/** The charge with its lines. Receipts show the lines; `checkBill` recomputes the charge from them. */
export function price(usage: Usage, snapshot: PriceSnapshot, extras?: PriceExtras): Bill {
  const tiers = tiersOf(usage, snapshot, extras);
  const units = unitsOf(snapshot, tiers);
  const calls = callsOf(usage, extras);
  const terms: Term[] = [];
  for (const what of isPlain(usage) ? plainCounters : usageCounters) {
    const count = usage[what];
    if (count <= 0) continue;
    // Tokens of a call with a fixed price are free and have no line.
    const silent = snapshot.mode === 'call' && units.exact[what] === 0n;
    if (!silent) terms.push(counterTerm(what, count, units));
  }
  if (snapshot.mode === 'call' && calls > 0) terms.push(callTerm(calls, units, extras?.factor ?? 1));
  const quota = quotaBy(units, usage, extras);
  const minimum = minimumOf(usage, units, calls);
  return tiers === undefined ? { quota, minimum, terms } : { quota, minimum, terms, tiers };
}

const plainCounters = ['input', 'output'] as const;

/** True for a call that used only text. Nearly all calls do, and a loop over all counters by name is slow. */
const isPlain = (usage: Usage): boolean =>
  usage.cacheRead === 0 &&
  usage.cacheWrite5m === 0 &&
  usage.cacheWrite1h === 0 &&
  usage.imageInput === 0 &&
  usage.audioInput === 0 &&
  usage.reasoning === 0 &&
  usage.imageOutput === 0 &&
  usage.audioOutput === 0 &&
  usage.webSearchCalls === 0 &&
  usage.fileSearchCalls === 0 &&
  usage.containers === 0;

/** Line of a counter. Nearly every product is a plain number, which is much faster than a bigint. */
function counterTerm(what: UsageCounter, count: number, units: Units): Term {
  const unit = units.texts[what];
  const product = units.fast === null ? NaN : count * units.fast[what];
  const amount = isExact(product) ? product : BigInt(count) * units.exact[what];
  return { what, count, unit, amount: decimalText(amount, units.digits) };
}

function termOf(what: Term['what'], count: number, unit: bigint, digits: number): Term {
  const amount = BigInt(count) * unit;
  return { what, count, unit: decimalText(unit, digits), amount: decimalText(amount, digits) };
}

const callTerm = (calls: number, units: Units, factor: number): Term =>
  termOf('calls', calls, units.call * scaledRatio(factor, 'factor'), units.digits + ratioDigits);

/** More decimal places than any unit has, or a percentage of it. */
const receiptDigits = 7 * ratioDigits + 2;

/**
 * Recomputes the charge from a bill's lines: their sum, rounded half away from zero, at least the minimum. Null if a
 * line's product is wrong. Throws for texts that are not decimals.
 */
export function recomputeQuota({ terms, minimum }: Pick<Bill, 'terms' | 'minimum'>): number | null {
  let sum = 0n;
  for (const { count, unit, amount } of terms) {
    const value = parseDecimal(amount, receiptDigits);
    if (BigInt(count) * parseDecimal(unit, receiptDigits) !== value) return null;
    sum += value;
  }
  const scale = 10n ** BigInt(receiptDigits);
  const rounded = (sum + scale / 2n) / scale;
  const charge = rounded > BigInt(maxQuota) ? maxQuota : Number(rounded);
  return Math.max(charge, minimum);
}

/** True if each line of a bill multiplies correctly and the sum of the lines gives the charge. */
export const checkBill = (bill: Bill): boolean => recomputeQuota(bill) === bill.quota;

/** A charge with one unit price: `quantity` × `dollars` is the charge, exactly. */
export interface SinglePrice {
  per: 'token' | 'call';
  quantity: number;
  /** Exact decimal text. */
  dollars: string;
}

const toolLines: ReadonlySet<Term['what']> = new Set(['webSearchCalls', 'fileSearchCalls', 'containers']);

/** Further decimal places of a price in dollars. */
const dollarDigits = 20;

/**
 * The unit price of a charge whose lines have no other one; lines at no price are left out. Undefined for several prices, for
 * a charge that was rounded or not collected whole, and for uses of tools. Throws for texts that are not decimals.
 *
 * @param perUnit - quota units of a dollar
 */
export function singlePrice(terms: readonly Term[], quota: number, perUnit: number): SinglePrice | undefined {
  const priced = terms.filter(({ unit, count }) => unit !== '0' && count > 0);
  const [first] = priced;
  if (!first || priced.some(({ unit }) => unit !== first.unit)) return undefined;
  const isCall = first.what === 'calls';
  const isOther = ({ what }: Term): boolean => toolLines.has(what) || (what === 'calls') !== isCall;
  if (priced.some(isOther)) return undefined;
  const quantity = priced.reduce((sum, { count }) => sum + count, 0);
  const unit = parseDecimal(first.unit, receiptDigits);
  if (BigInt(quantity) * unit !== BigInt(quota) * 10n ** BigInt(receiptDigits)) return undefined;
  const dollars = unit * 10n ** BigInt(dollarDigits);
  if (dollars % BigInt(perUnit) !== 0n) return undefined;
  return {
    per: isCall ? 'call' : 'token',
    quantity,
    dollars: decimalText(dollars / BigInt(perUnit), receiptDigits + dollarDigits),
  };
}

/** A part of a bill, in whole percent: the part of each unit price, and one rounding of their sum. */
export function billShare({ terms, minimum, ...bill }: Bill, percent: number): Bill {
  const part = BigInt(percent);
  const digits = receiptDigits + 2;
  const lines = {
    terms: terms.map(({ what, count, unit }) =>
      termOf(what, count, parseDecimal(unit, receiptDigits) * part, digits),
    ),
    minimum: percent > 0 ? minimum : (0 as const),
  };
  return { ...bill, ...lines, quota: recomputeQuota(lines) ?? 0 };
}

/**
 * Amount to hold for a call with this many tokens: the input at the price of its length and counter
 * (`extras.inputAs`), the output at the output price, and tool uses; or the price of its calls. The hold of a
 * requested image (`output: 'image'`) is its whole price.
 */
export function holdFor(
  snapshot: PriceSnapshot,
  input: number,
  outputTokens: number,
  extras?: PriceExtras,
  output: 'text' | 'image' = 'text',
): number {
  if (output === 'image') return quotaOf(usageOf({ input, imageOutput: outputTokens }), snapshot, extras);
  // Runs several times per call, so it skips the counters that are always 0.
  if (extras === undefined && input + outputTokens > 0) {
    const index = contextIndex(snapshot, input);
    const { fast } = unitsOf(snapshot, index < 0 ? undefined : { context: snapshot.contextTiers![index]! });
    if (fast !== null) {
      const sum = input * fast.input + outputTokens * fast.output + fast.call;
      const rounded = isExact(sum) ? roundedQuota(sum, fast.scale) : 0;
      if (rounded > 0) return rounded;
    }
  }
  return quotaOf({ ...heldInput(input, extras), ...extras?.uses, output: outputTokens }, snapshot, extras);
}

/** Usage with held input tokens in the counter that prices them. */
export const heldInput = (tokens: number, extras: PriceExtras | undefined): Usage =>
  usageOf({ [extras?.inputAs ?? 'input']: tokens });

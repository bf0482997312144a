import { noFactors, type TieredPrice, type UnitFactors } from './price-terms.ts';
import { usageCounters, type UsageCounter } from './usage.ts';
import { decimalText, ratioDigits, scaledRatio, trailingZeros } from './price-decimal.ts';

/** Billing mode: tokens by their ratios, or a fixed price per call. */
export type PriceMode = 'ratio' | 'call';

/**
 * All inputs of the price of one call, captured at the time of its hold. Later changes of options do not affect it.
 * Plain numbers, so that the hold and the log row can store it as JSON.
 */
export interface PriceSnapshot extends TieredPrice {
  readonly mode: PriceMode;
  /** Quota units per plain input token: 1 is $2 per million tokens. */
  readonly modelRatio: number;
  /** Price of an output token in input tokens. */
  readonly completionRatio: number;
  /** Price of an input token read from the cache, in input tokens. The next two are for writes to the cache. */
  readonly cacheRatio: number;
  readonly cacheWriteRatio: number;
  readonly cacheWrite1hRatio: number;
  readonly imageRatio: number;
  /** Price of an image output token, in input tokens; absent if it costs the same as a text token. */
  readonly imageCompletionRatio?: number;
  readonly audioRatio: number;
  /** Price of an audio output token in audio input tokens. */
  readonly audioCompletionRatio: number;
  readonly groupRatio: number;
  /** US dollars per call; -1 if tokens are priced (convention of the log row, docs/compatibility.md#log-row). */
  readonly modelPrice: number;
  /** US dollars per 1,000 calls. */
  readonly webSearchPrice: number;
  readonly fileSearchPrice: number;
  /** US dollars per session of a container with one gigabyte; absent if it costs nothing. */
  readonly containerPrice?: number;
  readonly quotaPerUnit: number;
  /** True if no price is set and the fallback ratio applies (docs/compatibility.md#price-lookup). */
  readonly unset: boolean;
}

/** Price of one unit of each counter, as integers scaled by 10^`digits`. */
export interface Units {
  readonly digits: number;
  readonly scale: bigint;
  readonly exact: Readonly<Record<UsageCounter, bigint>>;
  /** The same as text, for receipts. */
  readonly texts: Readonly<Record<UsageCounter, string>>;
  /** Fixed price of one call; 0 if tokens are priced. */
  readonly call: bigint;
  /** The same as plain numbers; null if one of them is not a safe integer. */
  readonly fast: Readonly<FastUnits> | null;
  /** True if tokens or calls have a price above zero. The minimum charge is then 1. */
  readonly charges: boolean;
}

interface FastUnits extends Record<UsageCounter, number> {
  call: number;
  scale: number;
}

const one = 10n ** BigInt(ratioDigits);
/** Decimal places of a product of six ratios. Every unit starts with these places and is then shortened. */
const fullDigits = 6 * ratioDigits;
/** Minimum ratio of a plain price's last decimal step to the rounding error. It makes a match by chance unlikely. */
const certainty = 100n;
/** 0.001, scaled. Smaller ratios have too few digits to recover their quotient. */
const leastQuotient = 10n ** BigInt(ratioDigits - 3);

type ExactUnits = Record<UsageCounter, bigint>;

type RatioName = Exclude<keyof PriceSnapshot & `${string}Ratio`, 'imageCompletionRatio'>;

/**
 * Product of five scaled ratios, with 5 × `ratioDigits` places. A ratio with eight or nine places counts as a rounded
 * quotient of two prices: 2.5 / 0.3 is stored as 8.333333333. A plain price within that rounding error replaces the
 * product: 0.15 × 8.333333333 is 1.25, not 1.24999999995.
 */
function multiply(...ratios: [bigint, bigint, bigint, bigint, bigint]): bigint {
  const product = ratios.reduce((result, ratio) => result * ratio);
  const quotients = ratios.filter((ratio) => ratio % 100n !== 0n && ratio >= leastQuotient);
  const slack = quotients.reduce((sum, ratio) => sum + product / (2n * ratio), 0n);
  if (slack === 0n) return product;
  for (let step = 10n ** BigInt(5 * ratioDigits); step > certainty * slack; step /= 10n) {
    const plain = ((product + step / 2n) / step) * step;
    const error = plain > product ? plain - product : product - plain;
    if (plain > 0n && error <= slack) return plain;
  }
  return product;
}

function tokenUnits(snapshot: PriceSnapshot, factors: UnitFactors): ExactUnits {
  const ratio = (name: RatioName) => scaledRatio(snapshot[name], name);
  const { imageCompletionRatio } = snapshot;
  const model = ratio('modelRatio');
  const group = ratio('groupRatio');
  const read = (first: bigint, by = factors.input) => multiply(model, first, one, ...by) * group;
  const write = (first: bigint, second = one) => multiply(model, first, second, ...factors.output) * group;
  const output = write(ratio('completionRatio'));
  return {
    input: read(one),
    cacheRead: read(ratio('cacheRatio'), factors.cacheRead),
    cacheWrite5m: read(ratio('cacheWriteRatio')),
    cacheWrite1h: read(ratio('cacheWrite1hRatio')),
    imageInput: read(ratio('imageRatio')),
    audioInput: read(ratio('audioRatio')),
    output,
    reasoning: output,
    imageOutput:
      imageCompletionRatio === undefined
        ? output
        : write(scaledRatio(imageCompletionRatio, 'imageCompletionRatio')),
    audioOutput: write(ratio('audioRatio'), ratio('audioCompletionRatio')),
    webSearchCalls: 0n,
    fileSearchCalls: 0n,
    containers: 0n,
  };
}

const forEachCounter = <T>(valueOf: (name: UsageCounter) => T): Record<UsageCounter, T> =>
  Object.fromEntries(usageCounters.map((name) => [name, valueOf(name)])) as Record<UsageCounter, T>;

const freeUnits = (): ExactUnits => forEachCounter(() => 0n);

/** Dollars × quota per dollar × group ratio, with `fullDigits` places. */
function dollarUnit(snapshot: PriceSnapshot, dollars: number, name: string): bigint {
  return (
    scaledRatio(dollars, name) *
    scaledRatio(snapshot.quotaPerUnit, 'quotaPerUnit') *
    scaledRatio(snapshot.groupRatio, 'groupRatio') *
    one *
    one *
    one
  );
}

/**
 * Multiplies the ratios once, so that pricing a call needs only a few integer products. `factors` belong to a tier.
 * They do not apply to prices of calls and tools.
 */
export function unitsFor(snapshot: PriceSnapshot, factors = noFactors): Units {
  const byCall = snapshot.mode === 'call';
  const full = byCall ? freeUnits() : tokenUnits(snapshot, factors);
  const call = byCall ? dollarUnit(snapshot, snapshot.modelPrice, 'modelPrice') : 0n;
  const charges = byCall ? call > 0n : full.input > 0n;
  full.webSearchCalls = dollarUnit(snapshot, snapshot.webSearchPrice, 'webSearchPrice') / 1000n;
  full.fileSearchCalls = dollarUnit(snapshot, snapshot.fileSearchPrice, 'fileSearchPrice') / 1000n;
  full.containers = dollarUnit(snapshot, snapshot.containerPrice ?? 0, 'containerPrice');
  return shorten(full, call, charges);
}

/** Removes decimal places that are zero in every unit. Most prices then fit plain numbers. */
function shorten(full: ExactUnits, call: bigint, charges: boolean): Units {
  const all = [...Object.values(full), call];
  const spare = all.reduce((least, unit) => Math.min(least, trailingZeros(unit, fullDigits)), fullDigits);
  const divisor = 10n ** BigInt(spare);
  const exact = freeUnits();
  for (const name of usageCounters) exact[name] = full[name] / divisor;
  const digits = fullDigits - spare;
  const scale = 10n ** BigInt(digits);
  return {
    digits,
    scale,
    exact,
    texts: forEachCounter((name) => decimalText(exact[name], digits)),
    call: call / divisor,
    charges,
    fast: asNumbers(exact, call / divisor, scale),
  };
}

function asNumbers(exact: ExactUnits, call: bigint, scale: bigint): FastUnits | null {
  const fits = (value: bigint) => value <= BigInt(Number.MAX_SAFE_INTEGER);
  if (![...Object.values(exact), call, scale].every(fits)) return null;
  const counters = forEachCounter((name) => Number(exact[name]));
  return { ...counters, call: Number(call), scale: Number(scale) };
}

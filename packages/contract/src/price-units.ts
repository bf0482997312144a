import { usageCounters, type Usage } from './usage.ts';
import { decimalText, ratioDigits, scaledRatio, trailingZeros } from './price-decimal.ts';

/** Tokens by their ratios, or a fixed price for each call. */
export type PriceMode = 'ratio' | 'call';

/**
 * Everything the price of one call depends on, taken when its hold is taken; later changes of options do not touch it
 *. Plain numbers, so that it can be stored as JSON beside the hold and on the log row.
 */
export interface PriceSnapshot {
  readonly mode: PriceMode;
  /** Quota units per plain input token: 1 is $2 per million tokens. */
  readonly modelRatio: number;
  /** Price of an output token in input tokens. */
  readonly completionRatio: number;
  /** Price of an input token read from the cache, in input tokens; the next two: written to it. */
  readonly cacheRatio: number;
  readonly cacheWriteRatio: number;
  readonly cacheWrite1hRatio: number;
  readonly imageRatio: number;
  /** Price of a token of an image that was made, in input tokens; absent where it costs as much as one of text. */
  readonly imageCompletionRatio?: number;
  readonly audioRatio: number;
  /** Price of an audio output token in audio input tokens. */
  readonly audioCompletionRatio: number;
  readonly groupRatio: number;
  /** US dollars per call; -1 when tokens are priced (the log row's convention, docs/compatibility.md#log-row). */
  readonly modelPrice: number;
  /** US dollars per 1,000 calls. */
  readonly webSearchPrice: number;
  readonly fileSearchPrice: number;
  readonly quotaPerUnit: number;
  /** True when no price was set and the stand-in ratio applies (docs/compatibility.md#price-lookup). */
  readonly unset: boolean;
}

/** The price of one of each counter, as integers scaled by 10^`digits`. */
export interface Units {
  readonly digits: number;
  readonly scale: bigint;
  readonly exact: Readonly<Record<keyof Usage, bigint>>;
  /** The same as receipts show them. */
  readonly texts: Readonly<Record<keyof Usage, string>>;
  /** One call at its fixed price; 0 when tokens are priced. */
  readonly call: bigint;
  /** The same as plain numbers; null when one of them is not a safe integer. */
  readonly fast: Readonly<FastUnits> | null;
  /** True when tokens, or calls, cost something: the least charge is then 1. */
  readonly charges: boolean;
}

export interface FastUnits extends Record<keyof Usage, number> {
  call: number;
  scale: number;
}

const one = 10n ** BigInt(ratioDigits);
/** Places of a product of four ratios; every unit is first computed with these and then shortened. */
const fullDigits = 4 * ratioDigits;

type ExactUnits = Record<keyof Usage, bigint>;

type RatioName = Exclude<keyof PriceSnapshot & `${string}Ratio`, 'imageCompletionRatio'>;

function tokenUnits(snapshot: PriceSnapshot): ExactUnits {
  const ratio = (name: RatioName) => scaledRatio(snapshot[name], name);
  const { imageCompletionRatio } = snapshot;
  const base = ratio('modelRatio') * ratio('groupRatio');
  const times = (first: bigint, second = one) => base * first * second;
  const output = times(ratio('completionRatio'));
  return {
    input: times(one),
    cacheRead: times(ratio('cacheRatio')),
    cacheWrite5m: times(ratio('cacheWriteRatio')),
    cacheWrite1h: times(ratio('cacheWrite1hRatio')),
    imageInput: times(ratio('imageRatio')),
    audioInput: times(ratio('audioRatio')),
    output,
    reasoning: output,
    imageOutput:
      imageCompletionRatio === undefined
        ? output
        : times(scaledRatio(imageCompletionRatio, 'imageCompletionRatio')),
    audioOutput: times(ratio('audioRatio'), ratio('audioCompletionRatio')),
    webSearchCalls: 0n,
    fileSearchCalls: 0n,
  };
}

const forEachCounter = <T>(valueOf: (name: keyof Usage) => T): Record<keyof Usage, T> =>
  Object.fromEntries(usageCounters.map((name) => [name, valueOf(name)])) as Record<keyof Usage, T>;

const freeUnits = (): ExactUnits => forEachCounter(() => 0n);

/** Dollars × quota per dollar × group ratio, with `fullDigits` places. */
function dollarUnit(snapshot: PriceSnapshot, dollars: number, name: string): bigint {
  return (
    scaledRatio(dollars, name) *
    scaledRatio(snapshot.quotaPerUnit, 'quotaPerUnit') *
    scaledRatio(snapshot.groupRatio, 'groupRatio') *
    one
  );
}

/** Multiplies the ratios out once, so that pricing a call is a handful of integer products. */
export function unitsFor(snapshot: PriceSnapshot): Units {
  const byCall = snapshot.mode === 'call';
  const full = byCall ? freeUnits() : tokenUnits(snapshot);
  const call = byCall ? dollarUnit(snapshot, snapshot.modelPrice, 'modelPrice') : 0n;
  const charges = byCall ? call > 0n : full.input > 0n;
  full.webSearchCalls = dollarUnit(snapshot, snapshot.webSearchPrice, 'webSearchPrice') / 1000n;
  full.fileSearchCalls = dollarUnit(snapshot, snapshot.fileSearchPrice, 'fileSearchPrice') / 1000n;
  return shorten(full, call, charges);
}

/** Drops the decimal places that are zero in every unit: most prices then fit plain numbers. */
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

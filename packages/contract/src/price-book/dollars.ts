import { oneHourCacheFactor } from '../prices/index.ts';
import { price } from '../price.ts';
import { ratioDigits } from '../price-decimal.ts';
import { usageCounters, usageOf, type UsageCounter } from '../usage.ts';
import { type TokenClass, tokenClasses } from './keys.ts';
import type { PriceEntries, PriceRatios } from './tables.ts';

export { type TokenClass, tokenClasses } from './keys.ts';

/** Price in US dollars: per call, or per million tokens of each class with a known price. */
export type DollarPrice = Partial<Record<TokenClass | 'call', number>>;

const counterOf: Readonly<Record<TokenClass, UsageCounter>> = {
  input: 'input',
  output: 'output',
  cacheRead: 'cacheRead',
  cacheWrite: 'cacheWrite5m',
  imageInput: 'imageInput',
  imageOutput: 'imageOutput',
  audioInput: 'audioInput',
  audioOutput: 'audioOutput',
};

const million = 1_000_000;
const oneOfEach = usageOf(Object.fromEntries(usageCounters.map((name) => [name, 1])));

/**
 * Rounds to twelve significant digits. Prices have fewer, and errors of binary fractions disappear
 * (0.30000000000000004).
 */
export const tidyDollars = (value: number): number => Number(value.toPrecision(12));

/**
 * Converts ratios to dollars with the same function that charges calls.
 *
 * @param quotaPerUnit - quota units a dollar buys on this site
 */
export function dollarsOf(ratios: PriceRatios, quotaPerUnit: number): DollarPrice {
  if (ratios.mode === 'call') return { call: ratios.modelPrice };
  const { terms } = price(oneOfEach, {
    ...ratios,
    cacheWrite1hRatio: ratios.cacheWriteRatio * oneHourCacheFactor,
    groupRatio: 1,
    webSearchPrice: 0,
    fileSearchPrice: 0,
    quotaPerUnit,
  });
  const units = new Map(terms.map(({ what, unit }) => [what, Number(unit)]));
  return Object.fromEntries(
    tokenClasses.map((name) => [
      name,
      tidyDollars(((units.get(counterOf[name]) ?? 0) * million) / quotaPerUnit),
    ]),
  );
}

/** Rounds a ratio as the bill does, so that the shown value is the charged one. */
const written = (ratio: number): number => Number(ratio.toFixed(ratioDigits));

/**
 * Table entries for a model with these dollar prices. A class without a price has no entry here and keeps its current
 * one. Without an input price the result is empty, because all other ratios are multiples of it.
 */
export function entriesFor(dollars: DollarPrice, quotaPerUnit: number): PriceEntries {
  if (dollars.call !== undefined) return { ModelPrice: dollars.call };
  const { input } = dollars;
  if (input === undefined || input <= 0) return {};
  const times = (name: TokenClass, base = input) => {
    const value = dollars[name];
    return value === undefined ? undefined : written(value / base);
  };
  const audioRatio = times('audioInput');
  const entries: Record<string, number | undefined> = {
    ModelRatio: written((input * quotaPerUnit) / million),
    CompletionRatio: times('output'),
    CacheRatio: times('cacheRead'),
    CreateCacheRatio: times('cacheWrite'),
    ImageRatio: times('imageInput'),
    ImageCompletionRatio: times('imageOutput'),
    AudioRatio: audioRatio,
    // Based on the rounded audio ratio: a large second ratio must not multiply the rounding error.
    AudioCompletionRatio: audioRatio ? times('audioOutput', audioRatio * input) : undefined,
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

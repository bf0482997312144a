import { oneHourCacheFactor } from '../prices/index.ts';
import { price } from '../price.ts';
import { ratioDigits } from '../price-decimal.ts';
import { usageCounters, usageOf, type UsageCounter } from '../usage.ts';
import { type TokenClass, tokenClasses } from './keys.ts';
import type { PriceEntries, PriceRatios } from './tables.ts';

export { type TokenClass, tokenClasses } from './keys.ts';

/** A price in US dollars: for each call, or for a million tokens of each class that is known. */
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

/** Twelve digits are more than any price has, and hide what binary fractions leave behind (0.30000000000000004). */
export const tidyDollars = (value: number): number => Number(value.toPrecision(12));

/**
 * What ratios come to in dollars, by the very function that charges calls.
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

/** A ratio as the bill reads it: the shown value is the charged one. */
const written = (ratio: number): number => Number(ratio.toFixed(ratioDigits));

/**
 * The entries that make a model cost so many dollars. A class that is not named has no entry: it keeps the one it has.
 * Without a price of input there are none, because every other is a multiple of it.
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
    // Of the ratio as it is written: its rounding must not be multiplied by a large second one.
    AudioCompletionRatio: audioRatio ? times('audioOutput', audioRatio * input) : undefined,
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

import {
  type PriceChange,
  pricedName,
  type PriceRatios,
  type PriceTableKey,
  type PriceTables,
  type PriceTerms,
  publishedRatios,
  ratiosIn,
  chargedName,
  termsFor,
  withPriceChanges,
} from '@tollgate/contract';
import type { OldPrice } from './old-prices.ts';

/** Tables of prices, and the additional price terms. */
interface Book {
  tables: PriceTables;
  terms: Readonly<Record<string, PriceTerms>>;
}

/** A changed price. */
interface PriceDifference {
  model: string;
  what: string;
  /** Ratios, or US dollars per call; null if there is none. */
  there: number | null;
  here: number | null;
}

const ratioTables = {
  modelRatio: 'ModelRatio',
  completionRatio: 'CompletionRatio',
  cacheRatio: 'CacheRatio',
  cacheWriteRatio: 'CreateCacheRatio',
  imageRatio: 'ImageRatio',
  audioRatio: 'AudioRatio',
  audioCompletionRatio: 'AudioCompletionRatio',
} as const satisfies Partial<Record<keyof PriceRatios, PriceTableKey>>;
type RatioName = keyof typeof ratioTables;
const ratioNames = Object.keys(ratioTables) as RatioName[];

/** Prices have nine decimal places. */
const isSame = (one: number, other: number): boolean => Math.abs(one - other) < 1e-9;

/** True if neither side has a separate price for sound: then the price has no sound. */
const isSilent = (old: Extract<OldPrice, { mode: 'ratio' }>, now: PriceRatios): boolean =>
  isSame(old.audioRatio, 1) && isSame(now.audioRatio, 1);

/** Differences between a price of the source and the same model's here. */
export function differences(
  model: string,
  old: OldPrice,
  { tables }: Pick<Book, 'tables'>,
): PriceDifference[] {
  const now = ratiosIn(tables, model, publishedRatios);
  if (old.mode === 'call')
    return now.mode === 'call' && isSame(now.modelPrice, old.modelPrice)
      ? []
      : [
          {
            model,
            what: 'ModelPrice',
            there: old.modelPrice,
            here: now.modelPrice < 0 ? null : now.modelPrice,
          },
        ];
  if (now.mode === 'call') return [{ model, what: 'ModelPrice', there: null, here: now.modelPrice }];
  const found: PriceDifference[] = ratioNames
    .filter((name) => !isSame(old[name] ?? now[name], now[name]) || (name === 'modelRatio' && now.unset))
    .filter((name) => name !== 'audioCompletionRatio' || !isSilent(old, now))
    .map((name) => ({ model, what: ratioTables[name], there: old[name] ?? null, here: now[name] }));
  const image = now.imageCompletionRatio;
  if (image !== undefined && !isSame(image, old.completionRatio))
    found.push({ model, what: 'ImageCompletionRatio', there: old.completionRatio, here: image });
  return found;
}

const toChange = (found: readonly PriceDifference[]): PriceChange[] =>
  found.map(({ model, what, there }) => ({ model, set: { [what]: there } }));

/**
 * The price book with an explicit entry for every price of the source that the tables alone would not give. No price
 * then depends on the built-in prices of either program.
 */
export function aligned(start: Book, wanted: ReadonlyMap<string, OldPrice>): { book: Book; written: number } {
  let { tables } = start;
  let written = 0;
  // A price may apply to another name too: the next round corrects such side effects.
  for (let round = 0; round < 4; round += 1) {
    const found = [...wanted].flatMap(([model, old]) => differences(model, old, { tables }));
    if (found.length === 0) break;
    written += found.length;
    tables = withPriceChanges(tables, toChange(found)).tables;
  }
  const terms = new Map(Object.entries(start.terms));
  for (const [model, { mode }] of wanted) {
    const known = termsFor(chargedName(tables, model), Object.fromEntries(terms));
    // The source has no tiers, by input length or by service tier.
    if (mode === 'ratio' && Object.keys(known).length > 0) terms.set(pricedName(model), {});
  }
  return { book: { tables, terms: Object.fromEntries(terms) }, written };
}

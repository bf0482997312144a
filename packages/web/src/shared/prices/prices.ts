import {
  oneHourCacheFactor,
  price,
  showDecimal,
  usageCounters,
  usageOf,
  type PriceSnapshot,
  type PricingItem,
  type UsageCounter,
} from '@tollgate/contract';

/** Price of a model in one group, in US dollars: per call, or per million tokens of each class. */
export type ModelPrices =
  | { by: 'call'; call: number }
  | { by: 'tokens'; perMillion: Record<UsageCounter, number> };

/**
 * The price snapshot of a call in this group (docs/compatibility.md#default-prices), without the prices of search tools.
 */
const snapshotOf = (item: PricingItem, groupRatio: number, quotaPerUnit: number): PriceSnapshot => ({
  mode: item.quota_type === 1 ? 'call' : 'ratio',
  modelRatio: item.model_ratio,
  completionRatio: item.completion_ratio,
  cacheRatio: item.cache_ratio,
  cacheWriteRatio: item.create_cache_ratio,
  cacheWrite1hRatio: item.create_cache_ratio_1h ?? item.create_cache_ratio * oneHourCacheFactor,
  imageRatio: item.image_ratio,
  audioRatio: item.audio_ratio,
  audioCompletionRatio: item.audio_completion_ratio,
  groupRatio,
  modelPrice: item.quota_type === 1 ? item.model_price : -1,
  webSearchPrice: 0,
  fileSearchPrice: 0,
  quotaPerUnit,
  unset: item.unset,
});

const oneOfEach = usageOf(Object.fromEntries(usageCounters.map((name) => [name, 1])));
const million = 1_000_000;

/**
 * Prices of a model in a group. They come from the function that charges calls, so that the list always matches the
 * charges.
 *
 * @param quotaPerUnit - quota units per dollar on this site
 */
export function pricesOf(item: PricingItem, groupRatio: number, quotaPerUnit: number): ModelPrices {
  const { terms } = price(oneOfEach, snapshotOf(item, groupRatio, quotaPerUnit), { calls: 1 });
  const dollars = (what: string, count: number) => {
    const unit = Number(terms.find((term) => term.what === what)?.unit ?? 0);
    // Twelve digits remove the error of binary fractions (0.30000000000000004).
    return Number(((unit * count) / quotaPerUnit).toPrecision(12));
  };
  if (item.quota_type === 1) return { by: 'call', call: dollars('calls', 1) };
  const perMillion = usageOf();
  for (const name of usageCounters) perMillion[name] = dollars(name, million);
  return { by: 'tokens', perMillion };
}

/** Dollars with two decimals, or more for a small price: $2.50, $0.0375. */
export function formatPrice(dollars: number): string {
  const [whole, places = ''] = showDecimal(dollars, 8).replace(/0+$/, '').split('.');
  return `$${whole}.${places.padEnd(2, '0')}`;
}

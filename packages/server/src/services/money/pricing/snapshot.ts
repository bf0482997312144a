import {
  chargedName,
  containerPriceFor,
  fileSearchPrice,
  isPricedIn,
  oneHourCacheFactor,
  pricedName,
  prepareSnapshot,
  type PriceSnapshot,
  type PriceTables,
  type PriceTerms,
  publishedRatios,
  ratiosIn,
  type SearchKind,
  termsFor,
  webSearchPriceFor,
} from '@tollgate/contract';
import type { Settings } from '../../site/settings/index.ts';

/** The options of prices: those of the site, or a draft of them. */
export type PriceOptions = Pick<Settings, 'get'>;

/** The tables of prices in force. */
export const tablesOf = (settings: PriceOptions): PriceTables => ({
  ModelPrice: settings.get('ModelPrice'),
  ModelRatio: settings.get('ModelRatio'),
  CompletionRatio: settings.get('CompletionRatio'),
  CacheRatio: settings.get('CacheRatio'),
  CreateCacheRatio: settings.get('CreateCacheRatio'),
  ImageRatio: settings.get('ImageRatio'),
  ImageCompletionRatio: settings.get('ImageCompletionRatio'),
  AudioRatio: settings.get('AudioRatio'),
  AudioCompletionRatio: settings.get('AudioCompletionRatio'),
});

/** True if the model has a price that its calls can be charged at (`isPricedIn`). */
export const hasPrice = (settings: Settings, model: string): boolean =>
  isPricedIn({ ModelPrice: settings.get('ModelPrice'), ModelRatio: settings.get('ModelRatio') }, model);

/**
 * The price of a model at a group's ratio (docs/compatibility.md#price-lookup). A model without a price gets the
 * fallback ratio and `unset`; the caller decides whether that is allowed.
 */
export function buildSnapshot(
  settings: PriceOptions,
  model: string,
  groupRatio: number,
  searchKind: SearchKind,
): PriceSnapshot {
  const tables = tablesOf(settings);
  const ratios = ratiosIn(tables, model, publishedRatios);
  const own = pricedName(model);
  const entries = settings.get('PriceTerms');
  const terms = termsFor(Object.hasOwn(entries, own) ? own : chargedName(tables, model), entries);
  return prepareSnapshot({
    ...ratios,
    cacheWrite1hRatio: terms.cacheWrite1h ?? ratios.cacheWriteRatio * oneHourCacheFactor,
    groupRatio,
    webSearchPrice: webSearchPriceFor(pricedName(model), searchKind),
    fileSearchPrice,
    containerPrice: containerPriceFor(own),
    quotaPerUnit: settings.get('QuotaPerUnit'),
    ...(ratios.mode === 'ratio' && tiersIn(terms)),
  });
}

/** US dollars for a million tokens of a model's cached content in an hour; undefined without a price. */
export function storagePriceIn(settings: PriceOptions, model: string): number | undefined {
  const own = pricedName(model);
  const entries = settings.get('PriceTerms');
  const name = Object.hasOwn(entries, own) ? own : chargedName(tablesOf(settings), model);
  return termsFor(name, entries).cacheStorage;
}

const tiersIn = ({ context, tiers }: PriceTerms): Pick<PriceSnapshot, 'contextTiers' | 'serviceTiers'> => ({
  ...(context && context.length > 0 && { contextTiers: context }),
  ...(tiers && { serviceTiers: tiers }),
});

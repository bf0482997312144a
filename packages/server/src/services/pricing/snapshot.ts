import {
  audioCompletionRatioFor,
  audioRatioFor,
  cacheRatioFor,
  completionRatioFor,
  fileSearchPrice,
  generalCreateCacheRatio,
  imageCompletionRatioFor,
  imageRatioFor,
  oneHourCacheFactor,
  pricedName,
  prepareSnapshot,
  type PriceSnapshot,
  type SearchSize,
  unsetModelRatio,
  webSearchPriceFor,
} from '@tollgate/contract';
import type { Settings } from '../settings/index.ts';

type Table = Readonly<Record<string, number>>;
const entry = (table: Table, name: string): number | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** True when the model has a price or a ratio of its own. */
export function hasPrice(settings: Settings, model: string): boolean {
  const name = pricedName(model);
  return Object.hasOwn(settings.get('ModelPrice'), name) || Object.hasOwn(settings.get('ModelRatio'), name);
}

/**
 * The price of a model at a group's ratio (docs/compatibility.md#price-lookup): a fixed price if there is one, else
 * the ratios.
 * A model with neither gets the stand-in ratio and `unset`; whether that is allowed is the caller's question.
 */
export function buildSnapshot(
  settings: Settings,
  model: string,
  groupRatio: number,
  searchSize: SearchSize,
): PriceSnapshot {
  const name = pricedName(model);
  const modelPrice = entry(settings.get('ModelPrice'), name);
  const modelRatio = entry(settings.get('ModelRatio'), name);
  const cacheWriteRatio = entry(settings.get('CreateCacheRatio'), name) ?? generalCreateCacheRatio;
  const imageCompletionRatio = imageCompletionRatioFor(name, settings.get('ImageCompletionRatio'));
  return prepareSnapshot({
    mode: modelPrice === undefined ? 'ratio' : 'call',
    modelRatio: modelPrice === undefined ? (modelRatio ?? unsetModelRatio) : 0,
    completionRatio: completionRatioFor(name, settings.get('CompletionRatio')),
    cacheRatio: cacheRatioFor(name, settings.get('CacheRatio')),
    cacheWriteRatio,
    cacheWrite1hRatio: cacheWriteRatio * oneHourCacheFactor,
    imageRatio: imageRatioFor(name, settings.get('ImageRatio')),
    ...(imageCompletionRatio !== undefined && { imageCompletionRatio }),
    audioRatio: audioRatioFor(name, settings.get('AudioRatio')),
    audioCompletionRatio: audioCompletionRatioFor(name, settings.get('AudioCompletionRatio')),
    groupRatio,
    modelPrice: modelPrice ?? -1,
    webSearchPrice: webSearchPriceFor(name, searchSize),
    fileSearchPrice,
    quotaPerUnit: settings.get('QuotaPerUnit'),
    unset: modelPrice === undefined && modelRatio === undefined,
  });
}

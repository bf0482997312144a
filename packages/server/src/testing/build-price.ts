import { type PriceSnapshot, prepareSnapshot } from '@tollgate/contract';

/** Prices of a model with token prices. The default is one quota unit per token. */
export const buildPrice = (prices: Partial<PriceSnapshot> = {}): PriceSnapshot =>
  prepareSnapshot({
    mode: 'ratio',
    modelRatio: 1,
    completionRatio: 1,
    cacheRatio: 1,
    cacheWriteRatio: 1,
    cacheWrite1hRatio: 1,
    imageRatio: 1,
    audioRatio: 1,
    audioCompletionRatio: 1,
    groupRatio: 1,
    modelPrice: -1,
    webSearchPrice: 0,
    fileSearchPrice: 0,
    quotaPerUnit: 500_000,
    unset: false,
    ...prices,
  });

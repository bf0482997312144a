/** What a cache write costs where the option names no ratio (docs/compatibility.md#price-lookup). */
export const generalCreateCacheRatio = 1.25;

/**
 * Keeping a cache entry for an hour instead of 5 minutes costs 6 / 3.75 times as much (docs/compatibility.md#charge).
 */
export const oneHourCacheFactor = 1.6;

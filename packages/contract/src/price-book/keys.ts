/** Option keys of the price tables. Each table maps models to numbers. */
export const priceTableKeys = [
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'ImageCompletionRatio',
  'AudioRatio',
  'AudioCompletionRatio',
] as const;
export type PriceTableKey = (typeof priceTableKeys)[number];

/** Token classes with a price of their own, in display order. */
export const tokenClasses = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'imageInput',
  'imageOutput',
  'audioInput',
  'audioOutput',
] as const;
export type TokenClass = (typeof tokenClasses)[number];

/** Public price lists that Tollgate reads, by their format. */
export const priceSourceNames = ['models_dev', 'litellm', 'openrouter'] as const;
export type PriceSourceName = (typeof priceSourceNames)[number];

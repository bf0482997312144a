/** The options that say what models cost, each model → number. */
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

/** What of a token has a price of its own, in the order people read it. */
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

/** The public price lists that Tollgate reads, by the form they have. */
export const priceSourceNames = ['models_dev', 'litellm', 'openrouter'] as const;
export type PriceSourceName = (typeof priceSourceNames)[number];

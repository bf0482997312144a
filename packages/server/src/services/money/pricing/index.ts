export { autoGroup, createPricing, priceKeys } from './pricing.ts';
export type { Pricing } from './pricing.ts';
export { createPriceBook, type PriceBook } from './price-book.ts';
export { createFixedPrices, type FixedPrices, pricedPerCall } from './fixed-prices.ts';

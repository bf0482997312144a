export { createPricing, priceKeys } from './pricing.ts';
export type { PriceRefusal, Pricing, PricingDeps, SnapshotOptions } from './pricing.ts';
export type { Offer } from './pricing-list.ts';
export { createPriceBook, type PriceBook } from './price-book.ts';
export { createFixedPrices, type FixedPrices } from './fixed-prices.ts';
export { pricedPerCall } from './per-call.ts';

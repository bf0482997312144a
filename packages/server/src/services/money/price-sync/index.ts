export { createPriceSync, type PriceSync } from './price-sync.ts';
export { maxListBytes } from './read-source.ts';

export * from './dollars.ts';
export * from './jump.ts';
export { type PriceSourceName, priceSourceNames } from './keys.ts';
export * from './tables.ts';

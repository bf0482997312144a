export * from './prices.ts';
export * from './price-sync.ts';
export * from './unpriced.ts';

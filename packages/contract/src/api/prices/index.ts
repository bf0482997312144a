export * from './prices.ts';
export * from './price-sync.ts';

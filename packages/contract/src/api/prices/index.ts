export * from './prices.ts';
export * from './price-sync.ts';
export * from './sync-rule.ts';
export * from './unpriced.ts';

export * from './data.ts';
export * from './log.ts';
export * from './receipt.ts';

export * from './data.ts';
export * from './log.ts';
export * from './receipt.ts';
export * from './task.ts';

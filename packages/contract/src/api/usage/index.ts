export * from './data.ts';
export * from './log.ts';
export { marginApi, type MarginData, type MarginQuery, type MarginRow } from './margin.ts';
export * from './model-month.ts';
export * from './receipt.ts';
export * from './task.ts';

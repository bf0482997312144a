export { buildConsumeLog, type ConsumeFacts, type ConsumeRow, countsAsUse, hourlyOf } from './consume-log.ts';
export { createQuotaSums, type QuotaSums } from './quota-sums.ts';

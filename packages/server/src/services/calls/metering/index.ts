export {
  type BoundAnswer,
  buildConsumeLog,
  type ConsumeFacts,
  type ConsumeRow,
  countsAsUse,
  hourlyOf,
} from './consume-log.ts';
export { type ChannelTraffics, createChannelTraffics } from './channel-traffic.ts';
export { checkHours, rebuildHours } from './rebuild-hours.ts';
export { createQuotaSums, type QuotaSums } from './quota-sums.ts';
export { createUsageSummaries, type UsageSummaries } from './usage-summary.ts';
export { crashRow, noteProgress } from './crash-row.ts';

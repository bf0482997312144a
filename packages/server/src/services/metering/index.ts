export {
  buildConsumeLog,
  type ConsumeFacts,
  type ConsumeRow,
  countsAsUse,
  hourlyOf,
  type TriedChannel,
} from './consume-log.ts';

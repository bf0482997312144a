export {
  buildConsumeLog,
  type ConsumeFacts,
  countsAsUse,
  hourlyOf,
  type TriedChannel,
} from './consume-log.ts';

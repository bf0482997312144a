export {
  brokenBy,
  channelFailure,
  continuedChannel,
  type Failed,
  FailedCall,
  type FailoverOutcome,
  firstChannel,
  noChannel,
  triedCall,
  tryChannels,
} from './failover.ts';
export { failureRow } from './failure-row.ts';
export { errorHeaders, shownError } from './shown-error.ts';
export { toRelayError, type RefusalTarget, refuseCall } from './refuse-call.ts';

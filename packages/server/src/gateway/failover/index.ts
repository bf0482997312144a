export {
  brokenBy,
  channelFailure,
  type Failed,
  FailedCall,
  type FailoverDeps,
  type FailoverOutcome,
  firstChannel,
  noChannel,
  type AttemptRecord,
  triedCall,
  tryChannels,
} from './failover.ts';
export { failureRow } from './failure-row.ts';
export { errorHeaders, shownError, type SiteErrors } from './shown-error.ts';
export {
  type FailureReport,
  toRelayError,
  type RefusalTarget,
  refuseCall,
  type RefuseDeps,
} from './refuse-call.ts';

export {
  brokenBy,
  channelFailure,
  FailedCall,
  type FailoverDeps,
  type FailoverOutcome,
  firstChannel,
  publicError,
  type AttemptRecord,
  tryChannels,
} from './failover.ts';
export { failureRow } from './failure-row.ts';
export {
  type FailureReport,
  toRelayError,
  type RefusalTarget,
  refuseCall,
  type RefuseDeps,
} from './refuse-call.ts';

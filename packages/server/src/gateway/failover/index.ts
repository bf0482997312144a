export {
  brokenBy,
  FailedCall,
  type FailoverDeps,
  type FailoverOutcome,
  firstChannel,
  isUnsuited,
  publicError,
  type Try,
  tryChannels,
} from './failover.ts';
export { failureRow } from './failure-row.ts';
export { type FailureReport, reasonOf, type Refusable, refuseCall, type RefuseDeps } from './refuse-call.ts';

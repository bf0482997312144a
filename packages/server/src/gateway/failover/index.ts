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
export { type FailedExchange, failureRow } from './failure-row.ts';
export { reasonOf, type Refusable, refuseCall } from './refuse-call.ts';

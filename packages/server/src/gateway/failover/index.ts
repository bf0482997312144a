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
export { explainRoute, type ExplainRouteDeps, explanationText, isDryRun, isExplained } from './explain.ts';
export { failureRow } from './failure-row.ts';
export { errorHeaders, type RefusalTarget, refuseCall, shownError, toRelayError } from './refuse-call.ts';

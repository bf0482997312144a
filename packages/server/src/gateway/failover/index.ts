export {
  brokenBy,
  channelFailure,
  type Failed,
  FailedCall,
  type FailoverOutcome,
  triedCall,
  tryChannels,
} from './failover.ts';
export {
  boundChannel,
  chooseGroup,
  continuedChannel,
  firstChannel,
  furtherGroups,
  noChannel,
  noFile,
  type RouteCall,
  routeOf,
  standIn,
} from './choose.ts';
export { explainRoute, type ExplainRouteDeps, explanationText, isDryRun, isExplained } from './explain.ts';
export { failureRow } from './failure-row.ts';
export { errorHeaders, type RefusalTarget, refuseCall, shownError, toRelayError } from './refuse-call.ts';

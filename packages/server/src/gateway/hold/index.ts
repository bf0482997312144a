export { readCeiling, ceilingReached, tooLow, unitsOf } from './ceiling.ts';
export { boundToHold, budgetReached, Hold, OutOfBudget, tokensOf } from './hold.ts';
export {
  callBudgets,
  costBounds,
  firstHold,
  holdRequest,
  quotaRefusal,
  repriceHold,
  takeHold,
  takeKnownHold,
  takeSpokenHold,
  wholeCost,
} from './take-hold.ts';
export { type ComputedUsage, extrasOf, mediaUsage, Meter, tokenBound } from './meter.ts';
export { MarkRounds, ProgressMarks, measureProgress } from './progress.ts';
export { HoldGuard } from './hold-guard.ts';
export { overriddenCall, type OverriddenCall } from './overridden.ts';

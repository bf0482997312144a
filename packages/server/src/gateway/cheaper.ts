import type { Channel } from '../relay/types/index.ts';
import type { ShortBudget } from '../services/money/ledger/index.ts';
import type { Admission, GatewayDeps, RelayCall } from './call/index.ts';
import { admissionOn } from './entrance/index.ts';
import { standIn } from './failover/index.ts';
import { budgetReached, type Hold, holdRequest, OutOfBudget, takeHold } from './hold/index.ts';

/** A call that is admitted and held for: its first channel, its price and its hold. */
export interface HeldCall {
  first: Channel;
  admitted: Admission;
  hold: Hold;
  /** Groups to try after the first. */
  further: readonly string[];
  /** The cheaper model that serves it; undefined for its own. */
  instead?: string;
}

interface Refused {
  group: string;
  admitted: Admission;
  /** Budgets of its run. */
  ofRun: readonly number[] | undefined;
  ceiling: number | undefined;
  /** It has no room. */
  budget: ShortBudget;
  /** Those that have already sent this call to another model do not count it; the budget is added. */
  without: Set<number>;
}

/**
 * Holds for the cheaper model that a budget without room names, at the price and in the budgets of that model. The budget itself
 * does not count the call. Throws the refusal of a hard budget if the key may not use the model, if no channel has it, or
 * if the call has to stay on its channel.
 */
export async function holdCheaper(
  deps: GatewayDeps,
  relayCall: RelayCall,
  { group, admitted, ofRun, ceiling, budget: short, without }: Refused,
): Promise<HeldCall> {
  const { caller } = relayCall;
  const isPinned = caller.pinnedChannelId > 0 || relayCall.isBound === true;
  for (let budget = short; ;) {
    const { instead } = budget;
    const mayUse = !isPinned && (caller.modelLimits?.has(instead) ?? true) && !without.has(budget.id);
    const first = mayUse ? standIn(deps, relayCall, [group], new Set(), [instead]) : null;
    if (!first) throw budgetReached(deps, budget);
    without.add(budget.id);
    const admission = { ...admissionOn(deps, relayCall, admitted, first), cheaperBy: budget.name };
    const request = holdRequest(deps, relayCall, admission, first, ofRun, instead);
    const budgets = request.budgets?.filter((id) => !without.has(id));
    try {
      const hold = await takeHold(
        deps,
        relayCall,
        admission.snapshot,
        { ...request, budgets },
        first,
        ceiling,
      );
      // The budgets of other groups were compared for the model of the call.
      return { first, admitted: admission, hold, further: [], instead };
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      ({ budget } = error);
    }
  }
}

import { refuse } from '../../relay/types/index.ts';
import type { Routing } from '../../services/calls/routing/index.ts';
import type { Admission, Caller, GatewayDeps, RelayCall } from '../call/index.ts';

/** The group whose channels and ratio apply (docs/compatibility.md#channel-selection, step 3). */
export function usingGroup(deps: Pick<GatewayDeps, 'pricing'>, caller: Caller, askedGroup: string): string {
  const wanted = askedGroup === '' ? caller.tokenGroup : askedGroup;
  if (wanted === '' || wanted === caller.userGroup) return caller.userGroup;
  if (!Object.hasOwn(deps.pricing.usableGroups(caller.userGroup), wanted)) {
    throw askedGroup === '' ? refuse('token_group_disabled', { group: wanted }) : refuse('group_forbidden');
  }
  if (deps.pricing.groupRatio(wanted) === undefined) {
    throw refuse('group_deprecated', { group: wanted });
  }
  return wanted;
}

/**
 * The models a caller may use: the token's list if it has one, else those of the group
 * (docs/compatibility.md#envelope-and-routes).
 */
export function modelsFor(
  deps: Pick<GatewayDeps, 'pricing'> & { routing: Pick<Routing, 'modelsOf'> },
  caller: Caller,
): readonly string[] {
  return caller.modelLimits ? [...caller.modelLimits] : deps.routing.modelsOf(usingGroup(deps, caller, ''));
}

/** Compares exact names with the token's list; a call with a selected channel skips the check (docs/compatibility.md#relay-keys). */
function checkModelLimits(caller: Caller, model: string): void {
  if (caller.pinnedChannelId > 0 || caller.modelLimits === null) return;
  if (caller.modelLimits.size === 0) throw refuse('token_without_models');
  if (!caller.modelLimits.has(model)) throw refuse('model_not_allowed', { model });
}

/** Decides whether the caller may use the model, and in which group. Throws a RelayError if not. */
export function admit(
  deps: Pick<GatewayDeps, 'pricing'>,
  relayCall: Pick<RelayCall, 'caller' | 'askedGroup'> & { facts: Pick<RelayCall['facts'], 'model'> },
): string {
  const group = usingGroup(deps, relayCall.caller, relayCall.askedGroup);
  checkModelLimits(relayCall.caller, relayCall.facts.model);
  return group;
}

/** The current price. Throws if there is none, or if the request has a forbidden word. */
export function pricedAdmission(
  deps: Pick<GatewayDeps, 'pricing' | 'forbiddenWord'>,
  relayCall: RelayCall,
  group: string,
): Admission {
  const { caller, facts } = relayCall;
  const word = deps.forbiddenWord(relayCall);
  if (word !== undefined) throw refuse('sensitive_words_detected');
  const snapshot = deps.pricing.snapshot(facts.model, group, {
    acceptUnset: caller.acceptUnsetPrice,
    userGroup: caller.userGroup,
    searchKind: facts.searchKind,
  });
  if ('refusal' in snapshot) throw refuse(snapshot.refusal, { model: facts.model });
  return { group, snapshot };
}

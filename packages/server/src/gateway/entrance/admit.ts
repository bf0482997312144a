import { pricedModel } from '../../relay/model-mapping.ts';
import { type Channel, refuse } from '../../relay/types/index.ts';
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

/** Drawings have a usual price where they have none of their own. */
const isDrawing = (model: string): boolean => model.startsWith('mj_') || model === 'swap_face';

/** The names whose price a call to a model may have in a group: what its channels map it to, or its own. */
export function pricedNames(routing: Pick<Routing, 'candidates'>, group: string, model: string): Set<string> {
  const names = new Set<string>();
  for (const { channels } of routing.candidates(group, model))
    for (const channel of channels) names.add(pricedModel(channel, model));
  return names.size > 0 ? names : names.add(model);
}

/**
 * The models a caller may use: the token's list if it has one, else those of the group, without those that have no price
 * (docs/compatibility.md#envelope-and-routes).
 */
export function modelsFor(
  deps: Pick<GatewayDeps, 'pricing'> & { routing: Pick<Routing, 'modelsOf' | 'candidates'> },
  caller: Caller,
): readonly string[] {
  const { userGroup, acceptUnsetPrice: acceptUnset } = caller;
  const group = usingGroup(deps, caller, '');
  const names = caller.modelLimits ? [...caller.modelLimits] : deps.routing.modelsOf(group);
  const hasPrice = (name: string) =>
    !('refusal' in deps.pricing.snapshot(name, group, { acceptUnset, userGroup }));
  return names.filter(
    (model) => isDrawing(model) || [...pricedNames(deps.routing, group, model)].some(hasPrice),
  );
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

/** The current price on the first channel. Throws if there is none, or if the request has a forbidden word. */
export function pricedAdmission(
  deps: Pick<GatewayDeps, 'pricing' | 'forbiddenWord'>,
  relayCall: RelayCall,
  group: string,
  first: Channel,
): Admission {
  const word = deps.forbiddenWord(relayCall);
  if (word !== undefined) throw refuse('sensitive_words_detected');
  return pricedAs(deps, relayCall, group, pricedModel(first, relayCall.facts.model));
}

/** The same admission if a further channel has the same price; else one with the price of that channel. */
export function admissionOn(
  deps: Pick<GatewayDeps, 'pricing'>,
  relayCall: RelayCall,
  admission: Admission,
  channel: Channel,
): Admission {
  const name = pricedModel(channel, relayCall.facts.model);
  return name === admission.pricedModel ? admission : pricedAs(deps, relayCall, admission.group, name);
}

function pricedAs(
  { pricing }: Pick<GatewayDeps, 'pricing'>,
  { caller, facts }: RelayCall,
  group: string,
  model: string,
): Admission {
  const snapshot = pricing.snapshot(model, group, {
    acceptUnset: caller.acceptUnsetPrice,
    userGroup: caller.userGroup,
    searchKind: facts.searchKind,
  });
  if ('refusal' in snapshot) throw refuse(snapshot.refusal, { model });
  return { group, snapshot, pricedModel: model };
}

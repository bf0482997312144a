import { channelStatus, type RouteReason, type Usage, usageOf } from '@tollgate/contract';
import { applyModelMapping, pricedModel } from '../../relay/outgoing.ts';
import { type Channel, refuse, type RelayError } from '../../relay/types/index.ts';
import type { ChannelCosts, RouteRequest, TriedIds } from '../../services/calls/routing/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { checkRule, missingTags, ruleBar, ruleBarsAll } from '../entrance/index.ts';
import { callBudgets } from '../hold/index.ts';
import { sessionOf } from './session.ts';

/**
 * Error for a group without a channel for the model: no group offers it (404), or this group does not (503, retryable
 * if its channels are only disabled).
 */
export function noChannel(
  { routing }: Pick<GatewayDeps, 'routing'>,
  group: string,
  model: string,
): RelayError {
  const offered = routing.offered(group, model);
  if (offered === 'nowhere') return refuse('model_not_found', { model });
  return refuse('no_available_channel', { group, model }, { isFinal: offered === 'elsewhere' });
}

/**
 * The group of a call: of several, the first with a channel for the model, or else for a fallback. Without any, one
 * whose refusal has the reason.
 */
export function chooseGroup(deps: RouteDeps, call: RouteCall, groups: readonly string[]): string {
  const [first = '', ...others] = groups;
  if (others.length === 0) return first;
  const { model } = call.facts;
  for (const name of [model, ...standInModels(deps, call)]) {
    const serving = groups.find((group) => serves(deps, call, group, name));
    if (serving !== undefined) return serving;
  }
  return (
    groups.find((group) => deps.routing.candidates(group, model).length > 0) ??
    groups.find((group) => deps.routing.offered(group, model) === 'here') ??
    first
  );
}

/** True if a group has a channel for a model that the call does not bar. */
function serves(deps: RouteDeps, call: RouteCall, group: string, model: string): boolean {
  const { bars } = routeOf(deps, call, group, model);
  return deps.routing
    .candidates(group, model)
    .some(({ channels }) => channels.some((channel) => bars(channel) === undefined));
}

/**
 * The groups to which a call of a key with cross-group retry goes on when the channels of its own group have failed. The
 * budgets of a call are fixed with its hold, so those of a further group must be the same.
 */
export function furtherGroups(
  deps: RouteDeps & Pick<GatewayDeps, 'budgetsOf' | 'requiredTags'>,
  relayCall: RelayCall,
  groups: readonly string[],
  group: string,
): readonly string[] {
  const { caller, facts } = relayCall;
  if (!caller.crossGroupRetry || groups.length === 1) return noGroups;
  const budgetsIn = (name: string): string => String(callBudgets(deps, caller, name, facts.model));
  const held = budgetsIn(group);
  return groups
    .slice(groups.indexOf(group) + 1)
    .filter(
      (name) =>
        serves(deps, relayCall, name, facts.model) &&
        budgetsIn(name) === held &&
        missingTags(deps, relayCall, name).length === 0,
    );
}
const noGroups: readonly string[] = [];

/** The channel that an administrator's key selects (docs/compatibility.md#channel-selection, step 4). */
function pinned(deps: GatewayDeps, { caller, facts }: RelayCall): Channel {
  const id = caller.pinnedChannelId;
  const routed = deps.routing.byId(id);
  if (!routed) throw refuse('pinned_channel_unknown');
  if (routed.status !== channelStatus.enabled) throw refuse('channel_disabled');
  checkRule(caller, routed.channel, facts.model);
  return deps.routing.withKey(routed.channel);
}

const noChannels: TriedIds = new Set();

/**
 * The channel of the first attempt. It does not count as a trial of a recovering channel until it is called: the call
 * may still be refused, or be a quote only. Throws the error of docs/compatibility.md#channel-selection if there is
 * none.
 */
export function firstChannel(
  deps: GatewayDeps,
  relayCall: RelayCall,
  group: string,
  /** True for a call that costs nothing: a channel needs no price for it. */
  isFree = false,
): Channel {
  const { caller, facts } = relayCall;
  if (caller.pinnedChannelId > 0) return pinned(deps, relayCall);
  const route = routeOf(deps, relayCall, group);
  const channel =
    deps.routing.foresee(isFree ? { ...route, bars: (each) => ruleBar(caller, each) } : route, noChannels) ??
    standIn(deps, relayCall, [group], noChannels);
  if (!channel) throw barred(deps, relayCall, group) ?? noChannel(deps, group, facts.model);
  return channel;
}

/** The error of a call for which all channels of its group and model are barred; undefined if there are none. */
function barred(deps: GatewayDeps, relayCall: RelayCall, group: string): RelayError | undefined {
  const { model } = relayCall.facts;
  const outside = ruleBarsAll(deps.routing, relayCall.caller, group, model);
  if (outside) return outside;
  const route = routeOf(deps, relayCall, group);
  const channels = deps.routing.candidates(group, model).flatMap((level) => level.channels);
  const unpriced = channels.find((channel) => route.bars(channel) === 'unpriced');
  return unpriced && refuse('model_price_error', { model: pricedModel(unpriced, model) });
}

/** The channel that has what a call refers to, and the group that it serves the call in. */
interface ContinuedChannel {
  channel: Channel;
  group: string;
}

/**
 * The channel of a call that continues a stored response or names files of its caller: the one that has them, if it
 * serves the caller in one of its groups. Undefined for any other call.
 */
export function continuedChannel(
  deps: Pick<GatewayDeps, 'routing' | 'storedResponses' | 'vendorFiles'>,
  relayCall: RelayCall,
  groups: readonly string[],
): Promise<ContinuedChannel | undefined> | undefined {
  const { previousResponse, conversation, fileIds } = relayCall.facts;
  if (previousResponse === undefined && conversation === undefined && fileIds === undefined) return undefined;
  return findContinued(deps, relayCall, groups);
}

async function findContinued(
  { routing, storedResponses, vendorFiles }: Parameters<typeof continuedChannel>[0],
  relayCall: RelayCall,
  groups: readonly string[],
): Promise<ContinuedChannel | undefined> {
  const { caller, facts } = relayCall;
  const { previousResponse: previous, conversation, fileIds } = facts;
  const previousResponse = previous ?? conversation;
  const files = fileIds && (await vendorFiles.findAll(caller.userId, fileIds));
  const response =
    previousResponse === undefined
      ? undefined
      : await storedResponses.findChannel(caller.userId, previousResponse);
  if (files?.missing !== undefined) throw noFile(relayCall, files.missing);
  // Files that are unknown here pass: the vendor may know them.
  if (!files && previousResponse === undefined) return undefined;
  const isApart = files && response && (files.id !== response.id || files.keyId !== response.keyId);
  if (isApart) throw noFile(relayCall, fileIds![0]!);
  const found = boundChannel(routing, relayCall, groups, previousResponse === undefined ? files : response);
  if (found) return found;
  if (previousResponse === undefined) throw noFile(relayCall, fileIds![0]!);
  const words = { id: previousResponse.slice(0, 100) };
  if (previous === undefined) throw refuse('conversation_not_found', words, { param: 'conversation' });
  throw refuse('previous_response_not_found', words, { param: 'previous_response_id' });
}

/** The one channel that may serve a call, if it serves the caller in one of its groups. */
export function boundChannel(
  routing: GatewayDeps['routing'],
  relayCall: RelayCall,
  groups: readonly string[],
  place: { id: number; keyId: string } | undefined,
): ContinuedChannel | undefined {
  const { caller, facts } = relayCall;
  const isOther = caller.pinnedChannelId > 0 && caller.pinnedChannelId !== place?.id;
  for (const group of isOther ? [] : groups) {
    const levels = routing.candidates(group, facts.model);
    const channel = levels.flatMap(({ channels }) => channels).find((each) => each.id === place?.id);
    if (!channel) continue;
    checkRule(caller, channel, facts.model);
    relayCall.isBound = true;
    return { channel: routing.withKey(channel, place?.keyId), group };
  }
  return undefined;
}

/** The error for a file that its caller does not have; OpenAI has its own type for it. */
export function noFile({ inbound }: Pick<RelayCall, 'inbound'>, id: string, param = 'file_id'): RelayError {
  const isOpenai = inbound.id.startsWith('openai-');
  return refuse(
    'file_not_found',
    { id: id.slice(0, 100) },
    { param, ...(isOpenai && { type: 'invalid_request_error' }) },
  );
}

export type RouteDeps = Pick<GatewayDeps, 'routing' | 'pricing' | 'costOf' | 'costVersion' | 'fallbacksOf'>;

/** The parts of a call on which its channel depends. */
export type RouteCall = Pick<RelayCall, 'req' | 'json' | 'caller'> & {
  facts: Pick<RelayCall['facts'], 'model' | 'estimatedInputTokens'>;
};

/** Facts for the choice of a channel: for the called model, or for a fallback. */
export const routeOf = (
  deps: RouteDeps,
  relayCall: RouteCall,
  group: string,
  model = relayCall.facts.model,
): RouteRequest & Required<Pick<RouteRequest, 'bars'>> => ({
  group,
  model,
  inputTokens: relayCall.facts.estimatedInputTokens,
  session: () => sessionOf(relayCall),
  costs: () => usualCosts(deps, relayCall, group, model),
  bars: (channel) => barOf(deps, relayCall, { group, model }, channel),
});

/** A call is never sent to a channel outside the rules of its key and organisation, or without a price for it. */
const barOf = (
  deps: RouteDeps,
  relayCall: RouteCall,
  request: RouteRequest,
  channel: Channel,
): RouteReason | undefined =>
  (relayCall.caller.channelRule && ruleBar(relayCall.caller, channel)) ??
  ('refusal' in priceOn(deps, relayCall, request, channel) ? 'unpriced' : undefined);

const priceOn = (
  { pricing }: RouteDeps,
  { caller: { acceptUnsetPrice: acceptUnset, userGroup } }: RouteCall,
  { group, model }: RouteRequest,
  channel: Channel,
) => pricing.snapshot(pricedModel(channel, model), group, { acceptUnset, userGroup });

/** The fallback models of a call that its caller's key may use, in order. */
export const standInModels = (
  { fallbacksOf }: Pick<RouteDeps, 'fallbacksOf'>,
  { caller, facts }: RouteCall,
): readonly string[] => {
  const models = fallbacksOf(facts.model);
  const { modelLimits } = caller;
  return modelLimits ? models.filter((model) => modelLimits.has(model)) : models;
};

/** A channel of the first fallback model, or of the first of other models, that has one left, in the first of the call's groups. */
export function standIn(
  deps: RouteDeps,
  relayCall: RelayCall,
  groups: readonly string[],
  tried: TriedIds,
  models = standInModels(deps, relayCall),
): Channel | null {
  const { facts } = relayCall;
  for (const model of models)
    for (const group of groups) {
      const channel = deps.routing.foresee(routeOf(deps, relayCall, group, model), tried);
      if (!channel) continue;
      const modelMapping = { [facts.model]: applyModelMapping(channel.modelMapping, model) };
      return { ...inGroup(channel, group, groups), modelMapping, standsInAs: model };
    }
  return null;
}

/** A channel that serves in one of a call's groups; unchanged in the first, its own. */
export const inGroup = (channel: Channel, group: string, groups: readonly string[]): Channel =>
  group === groups[0] ? channel : { ...channel, inGroup: group };

/** A call of typical size, for comparing the cost of channels. */
const usual: Usage = usageOf({ input: 3_000, output: 500 });

function usualCosts(
  { pricing, costOf, costVersion }: RouteDeps,
  { caller: { userGroup } }: RouteCall,
  group: string,
  model: string,
): ChannelCosts {
  // The cost of a model without a price does not depend on whether its caller accepts that.
  const priceOf = (name: string) => pricing.snapshot(name, group, { acceptUnset: true, userGroup });
  return {
    version: costVersion(priceOf(model)),
    on(channel) {
      const snapshot = priceOf(pricedModel(channel, model));
      if ('refusal' in snapshot) return null;
      const upstreamModel = applyModelMapping(channel.modelMapping, model);
      return costOf({ channelId: channel.id, model, upstreamModel, usage: usual, snapshot });
    },
  };
}

import { channelStatus } from '@tollgate/contract';
import { applyModelMapping, pricedModel } from '../../relay/outgoing.ts';
import { type Channel, type Provider, refuse, RelayError } from '../../relay/types/index.ts';
import type { Task } from '../../services/calls/tasks/index.ts';
import type { TriedIds } from '../../services/calls/routing/index.ts';
import { checkRule, ruleBar, ruleBarsAll } from '../entrance/index.ts';
import { noChannel } from '../failover/index.ts';
import type { TaskCall, TaskDeps, TaskVendor, TaskOrder } from './deps.ts';
import { taskPrice } from './price.ts';

/** The group of a task: of several, the first one with the channel that is required, or with one that can make it. */
export function chooseGroup(
  deps: TaskDeps,
  call: TaskCall,
  order: TaskOrder,
  groups: readonly string[],
): string {
  const pinned = order.channelId ?? call.caller.pinnedChannelId;
  const serves = (group: string): boolean =>
    pinned > 0
      ? deps.gateway.routing
          .candidates(group, order.model)
          .some(({ channels }) => channels.some(({ id }) => id === pinned))
      : channelFor(deps, call, { order, group, tried: new Set(), refusals: [] }) !== undefined;
  return groups.find(serves) ?? groups[0] ?? '';
}

/** The channel of the first attempt. Throws if there is none: with the vendor's reason if no vendor can make it. */
export function firstChannel(deps: TaskDeps, call: TaskCall, order: TaskOrder, group: string): Channel {
  const refusals: RelayError[] = [];
  const channel = channelFor(deps, call, { order, group, tried: new Set(), refusals });
  if (channel) return channel;
  const outside = ruleBarsAll(deps.gateway.routing, call.caller, group, order.model);
  throw outside ?? refusals[0] ?? noChannel(deps.gateway, group, order.model);
}

/** The task that needs a channel. */
export interface ChannelQuery {
  order: TaskOrder;
  group: string;
  tried: TriedIds;
  /** Collects the reasons of channels without a price, and of vendors that cannot make it. */
  refusals: RelayError[];
  /** The name with the held price: a channel with another price is not tried. */
  pricedModel?: string;
}

/**
 * The channel to use: the one that is required, or one of the group that supports such tasks and can make this one.
 */
export function channelFor(deps: TaskDeps, call: TaskCall, query: ChannelQuery): Channel | undefined {
  const { order, group, tried, refusals } = query;
  const pinned = order.channelId ?? call.caller.pinnedChannelId;
  if (pinned > 0) return pinnedChannel(deps, call, pinned, order);
  const seen = new Set(tried);
  const bars = (channel: Channel) => ruleBar(call.caller, channel);
  for (;;) {
    const channel = deps.gateway.routing.foresee({ group, model: order.model, bars }, seen);
    if (!channel) return undefined;
    if (hasTasks(deps.provider(channel.type), order) && isPricedAlike(query, channel)) {
      const price = taskPrice(deps.gateway, call.caller, group, order, channel);
      const refusal =
        price instanceof RelayError ? price : order.refusal?.(requireVendor(deps, order, channel));
      if (!refusal) return channel;
      refusals.push(refusal);
    }
    seen.add(channel.id);
  }
}

const isPricedAlike = ({ order, pricedModel: held }: ChannelQuery, channel: Channel): boolean =>
  held === undefined || held === pricedModel(channel, order.model);

function pinnedChannel(deps: TaskDeps, { caller }: TaskCall, id: number, order: TaskOrder): Channel {
  const routed = deps.gateway.routing.byId(id);
  if (!routed) throw refuse('pinned_channel_unknown');
  if (routed.status !== channelStatus.enabled) {
    if (order.channelId === undefined) throw refuse('channel_disabled');
    throw refuse('task_channel_disabled');
  }
  checkRule(caller, routed.channel, order.model);
  const channel = deps.gateway.routing.withKey(routed.channel, order.keyId);
  if (!hasTasks(deps.provider(channel.type), order)) throw refuse('task_channel_without');
  const refusal = order.refusal?.(requireVendor(deps, order, channel));
  if (refusal) throw refusal;
  return channel;
}

/**
 * The channel that has a task, with the key that it was made with; undefined if it was deleted. Throws if the rule of a
 * caller who asks for it bars the channel.
 */
export function taskChannel(
  { gateway }: TaskDeps,
  { channelId, bill, taskId }: Task,
  caller?: TaskCall['caller'],
): Channel | undefined {
  const routed = gateway.routing.byId(channelId);
  if (routed && caller) checkRule(caller, routed.channel, taskId);
  return routed && gateway.routing.withKey(routed.channel, bill.keyId);
}

/** The provider of a channel, and the model's name there. Throws if its type has no tasks. */
export function requireVendor(deps: TaskDeps, { model }: TaskOrder, channel: Channel): TaskVendor {
  const provider = deps.provider(channel.type);
  if (!provider) throw refuse('task_channel_without');
  return { provider, upstreamModel: applyModelMapping(channel.modelMapping, model) };
}

const hasTasks = (provider: Provider | undefined, { platform }: TaskOrder): boolean => {
  const { drawing, music, video } = provider?.tasks ?? {};
  return (platform === 'mj' ? drawing : platform === 'suno' ? music : video) !== undefined;
};

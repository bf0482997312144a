import { channelStatus } from '@tollgate/contract';
import type { Channel } from '../../../relay/types/index.ts';
import type { RoutedChannel } from '../channels/index.ts';

/** The routing data, rebuilt after each change of the channels and immutable. */
export interface RouteIndex {
  /** group → model → levels. */
  levels: ReadonlyMap<string, ReadonlyMap<string, readonly Level[]>>;
  /**
   * Every channel, including disabled ones: a key that selects a channel gets different errors for a missing and a
   * disabled one.
   */
  byId: ReadonlyMap<number, RoutedChannel>;
  modelsOfGroup: ReadonlyMap<string, readonly string[]>;
  groupsOfModel: ReadonlyMap<string, readonly string[]>;
  /** model → groups in which a disabled channel has it. */
  disabledIn: ReadonlyMap<string, ReadonlySet<string>>;
}

export const emptyIndex: RouteIndex = {
  levels: new Map(),
  byId: new Map(),
  modelsOfGroup: new Map(),
  groupsOfModel: new Map(),
  disabledIn: new Map(),
};

/** Builds the index. Only enabled channels are chosen (docs/compatibility.md#channel-selection). */
export function buildRouteIndex(channels: readonly RoutedChannel[]): RouteIndex {
  const members = new Map<string, Map<string, Channel[]>>();
  const disabledIn = new Map<string, Set<string>>();
  for (const routed of channels) {
    if (routed.status !== channelStatus.enabled || routed.channel.keys?.usable.length === 0) {
      for (const model of routed.models)
        for (const group of routed.groups) getOrAdd(disabledIn, model, () => new Set<string>()).add(group);
      continue;
    }
    for (const group of new Set(routed.groups)) {
      const models = getOrAdd(members, group, () => new Map<string, Channel[]>());
      for (const model of new Set(routed.models)) getOrAdd(models, model, () => []).push(routed.channel);
    }
  }
  const levels = new Map<string, Map<string, Level[]>>();
  const modelsOfGroup = new Map<string, string[]>();
  const groupsOfModel = new Map<string, string[]>();
  for (const [group, models] of members) {
    levels.set(group, new Map([...models].map(([model, list]) => [model, buildLevels(list)])));
    modelsOfGroup.set(group, [...models.keys()].toSorted());
    for (const model of models.keys()) getOrAdd(groupsOfModel, model, () => []).push(group);
  }
  return {
    levels,
    byId: new Map(channels.map((routed) => [routed.channel.id, routed])),
    modelsOfGroup,
    groupsOfModel,
    disabledIn,
  };
}

/** The value of a key, made and kept if there is none. */
export function getOrAdd<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** The channels of one group and model with the same priority: all of them are tried before the next level. */
export interface Level {
  priority: number;
  channels: readonly Channel[];
  /**
   * Alias table (Vose): place p keeps `kept[p]` of its draws and gives the others to place `other[p]`, so that a choice
   * by share costs the same among ten channels as among a thousand.
   */
  kept: Float64Array;
  other: Uint32Array;
}

/**
 * Added to every weight, so that a channel of weight 0 is still chosen sometimes
 * (docs/compatibility.md#channel-selection).
 */
const weightBase = 10;

/** A channel's share in a random choice. A negative weight of an invalid row counts as 0. */
export const shareOf = (channel: Channel): number => Math.max(0, channel.weight) + weightBase;

/** Sorts channels into levels, the highest priority first; within a level the smallest id first. */
function buildLevels(channels: readonly Channel[]): Level[] {
  const byPriority = new Map<number, Channel[]>();
  for (const channel of channels) {
    const level = byPriority.get(channel.priority);
    if (level) level.push(channel);
    else byPriority.set(channel.priority, [channel]);
  }
  return [...byPriority]
    .toSorted(([a], [b]) => b - a)
    .map(([priority, members]) =>
      levelOf(
        priority,
        members.toSorted((a, b) => a.id - b.id),
      ),
    );
}

/** Builds a level of these channels, with its alias table. */
export function levelOf(priority: number, channels: readonly Channel[]): Level {
  const total = channels.reduce((sum, channel) => sum + shareOf(channel), 0);
  const kept = Float64Array.from(channels, (channel) => (shareOf(channel) * channels.length) / total);
  const other = Uint32Array.from(channels.keys());
  const small = [...kept.keys()].filter((place) => kept[place]! < 1);
  const large = [...kept.keys()].filter((place) => kept[place]! >= 1);
  while (small.length > 0 && large.length > 0) {
    const place = small.pop()!;
    const giver = large.at(-1)!;
    other[place] = giver;
    kept[giver] = kept[giver]! + kept[place]! - 1;
    if (kept[giver] < 1) small.push(large.pop()!);
  }
  return { priority, channels, kept, other };
}

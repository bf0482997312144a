import type { RouteReason, RoutingPolicy } from '@tollgate/contract';
import type { Channel } from '../../../relay/types/index.ts';
import type { Paces } from './health.ts';
import { getOrAdd, type Level, levelOf, shareOf } from './route-index.ts';
import { hashSession, slotCount, slotOf, stuckPlace } from './stick.ts';

/** Name → policy: a model, a prefix of its name before a star, or `group:` and a group (option RoutingPolicies). */
export type PolicyRules = Readonly<Record<string, RoutingPolicy>>;

const groupPrefix = 'group:';

/**
 * Returns a function for the policy of a group and model by the present rules: that of the model, of the longest prefix
 * of its name, of the group, or of all (`*`).
 */
export function createPolicies(rules: () => PolicyRules): (group: string, model: string) => RoutingPolicy {
  let read: PolicyRules | undefined;
  let byName: ReadonlyMap<string, RoutingPolicy> = new Map();
  let beginnings: [start: string, policy: RoutingPolicy][] = [];
  return (group, model) => {
    const present = rules();
    if (present !== read) {
      read = present;
      byName = new Map(Object.entries(present));
      beginnings = [...byName]
        .flatMap<[string, RoutingPolicy]>(([name, policy]) =>
          name.length > 1 && name.endsWith('*') ? [[name.slice(0, -1), policy]] : [],
        )
        .toSorted(([a], [b]) => b.length - a.length);
    }
    if (byName.size === 0) return 'random';
    return (
      byName.get(model) ??
      beginnings.find(([start]) => model.startsWith(start))?.[1] ??
      byName.get(groupPrefix + group) ??
      byName.get('*') ??
      'random'
    );
  };
}

/** Facts for the choice of a channel. */
export interface RouteRequest {
  group: string;
  model: string;
  /** Estimated number of input tokens. */
  inputTokens?: number;
  /**
   * Identifies the session of a call: under the policy `sticky`, calls of a session go to one channel and key. Read
   * only under that policy; '' if the call has no session.
   */
  session?: () => string;
  /** Read only under `cheapest`. */
  costs?: () => ChannelCosts;
  /** The reason why a channel may not have this call, whatever is left; undefined if it may. */
  bars?: (channel: Channel) => RouteReason | undefined;
}

/** Costs of a typical call for the operator. */
export interface ChannelCosts {
  /** Identifies the costs: another object once one of them may have changed. */
  version: object;
  /** Quota units; null if unknown. */
  on: (channel: Channel) => number | null;
}

/** A policy's rule for one request. Without a field: one random draw by share. */
export interface Rule {
  /** The parts of a level, the best first. A part is drawn from only if no channel of those before is usable. */
  parts?: (level: Level) => readonly Level[];
  /**
   * The better of two draws has the lower value: nearly as good as the best, and simultaneous calls do not all use one.
   */
  worth?: (channel: Channel) => number;
  /** The usable channel of a level to which the session of the request sticks. */
  stuck?: (level: Level, usable: Usable) => Channel | null;
}

type Usable = (channel: Channel) => boolean;

/** The rule of each policy. What a rule finds out about all channels of a level is kept as long as the level. */
export function rulesOf(paces: Paces): Record<RoutingPolicy, (request: RouteRequest) => Rule> {
  const partsOf = splitByCost();
  const stuckIn = stickToSlots();
  return {
    random: () => byShare,
    least_busy: () => ({ worth: (channel) => (paces.runningOn(channel) + 1) / shareOf(channel) }),
    fastest: () => ({ worth: paces.waitFor }),
    cheapest: ({ costs }) => (costs ? { parts: (level) => partsOf(level, costs()) } : byShare),
    sticky({ session }) {
      const name = session?.() ?? '';
      return name === '' ? byShare : { stuck: (level, usable) => stuckIn(level, hashSession(name), usable) };
    },
  };
}

const byShare: Rule = {};

/** Splits levels into channels of equal cost, the cheapest first and unknown costs last; once for each version of costs. */
function splitByCost(): (level: Level, costs: ChannelCosts) => readonly Level[] {
  const known = new WeakMap<Level, WeakMap<object, readonly Level[]>>();
  return (level, { version, on }) => {
    const ofLevel = getOrAdd(known, level, () => new WeakMap<object, readonly Level[]>());
    return getOrAdd(ofLevel, version, () =>
      [...Map.groupBy(level.channels, (channel) => on(channel) ?? Infinity)]
        .toSorted(([a], [b]) => a - b)
        .map(([, channels]) => levelOf(level.priority, channels)),
    );
  };
}

/**
 * Finds the channel of a session. The best channel of each slot is found once; if it is not usable, the session sticks
 * to the best usable one until it is again.
 */
function stickToSlots(): (level: Level, sessionHash: number, usable: Usable) => Channel | null {
  /** Place of the best channel of each slot, plus one; 0 if not yet known. */
  const known = new WeakMap<Level, Uint16Array | Uint32Array>();
  const bestOf = (channels: readonly Channel[], slot: number): number =>
    stuckPlace(
      slot,
      channels.map(({ id }) => id),
      (place) => shareOf(channels[place]!),
    );
  return (level, sessionHash, usable) => {
    const { channels } = level;
    const slot = slotOf(sessionHash);
    const places = getOrAdd(
      known,
      level,
      () => new (channels.length < 2 ** 16 ? Uint16Array : Uint32Array)(slotCount),
    );
    const place = (places[slot] ||= bestOf(channels, slot) + 1);
    const best = channels[place - 1]!;
    if (usable(best)) return best;
    const left = channels.filter(usable);
    return left[bestOf(left, slot)] ?? null;
  };
}

/** Picks one channel of a level at random by share, usable or not; `chance` is in [0, 1). Allocates nothing. */
export function pickAny({ channels, kept, other }: Level, chance: number): Channel {
  const point = chance * channels.length;
  const place = Math.floor(point);
  return channels[point - place < kept[place]! ? place : other[place]!]!;
}

/** Chooses among the usable channels of a level; null if there are none. */
export function pickBy(
  { parts, worth, stuck }: Rule,
  level: Level,
  random: () => number,
  usable: Usable,
): Channel | null {
  if (stuck) return stuck(level, usable);
  if (parts) {
    for (const part of parts(level)) {
      const one = drawFrom(part, random, usable);
      if (one) return one;
    }
    return null;
  }
  const one = drawFrom(level, random, usable);
  if (!worth || !one) return one;
  const other = drawFrom(level, random, usable);
  return other && worth(other) < worth(one) ? other : one;
}

/**
 * The probability with which `pickBy` returns each of the usable channels of a level; those with a probability of 0 are
 * omitted. Empty if none is usable.
 */
export function oddsBy({ parts, worth, stuck }: Rule, level: Level, usable: Usable): Map<Channel, number> {
  if (stuck) {
    const channel = stuck(level, usable);
    return new Map(channel ? [[channel, 1]] : []);
  }
  const part = parts ? parts(level).find(({ channels }) => channels.some(usable)) : level;
  const drawn = part?.channels.filter(usable) ?? [];
  const total = drawn.reduce((sum, channel) => sum + shareOf(channel), 0);
  const chances = drawn.map((channel) => ({
    channel,
    chance: shareOf(channel) / total,
    worth: worth?.(channel) ?? 0,
  }));
  if (!worth) return new Map(chances.map(({ channel, chance }) => [channel, chance]));
  // The first draw wins against an equal or worse second one, the second against a worse first one.
  const chanceOf = (wins: (other: number) => boolean): number =>
    chances.reduce((sum, each) => (wins(each.worth) ? sum + each.chance : sum), 0);
  return new Map(
    chances.map(({ channel, chance, worth: own }) => [
      channel,
      chance * (chanceOf((other) => other >= own) + chanceOf((other) => other > own)),
    ]),
  );
}

/**
 * Random choices tried before every channel of the level is examined: if few channels are unusable, the first or
 * second succeeds.
 */
const quickDraws = 4;

/**
 * One random choice among the usable channels of a level. Choosing again after an unusable one keeps the
 * probabilities of the others, and costs the same for one channel as for a thousand.
 */
function drawFrom(level: Level, random: () => number, usable: Usable): Channel | null {
  for (let draw = 0; draw < quickDraws; draw += 1) {
    const channel = pickAny(level, random());
    if (usable(channel)) return channel;
  }
  return pickUsable(level, random(), usable);
}

/** Picks at random among the channels of a level that `usable` accepts; null if there are none. */
function pickUsable(level: Level, chance: number, usable: Usable): Channel | null {
  let total = 0;
  for (const channel of level.channels) if (usable(channel)) total += shareOf(channel);
  if (total === 0) return null;
  let left = chance * total;
  let last: Channel | null = null;
  for (const channel of level.channels) {
    if (!usable(channel)) continue;
    last = channel;
    left -= shareOf(channel);
    if (left < 0) break;
  }
  return last;
}

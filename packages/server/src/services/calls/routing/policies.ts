import type { RouteReason, RoutingPolicy } from '@tollgate/contract';
import type { Channel } from '../../../relay/types/index.ts';
import type { Paces } from './health.ts';
import { type Level, shareOf } from './route-index.ts';
import { stuckPlace } from './stick.ts';

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
  /**
   * Cost of a typical call on a channel for the operator, in quota units; null if unknown. Read only under `cheapest`.
   */
  costOn?: (channel: Channel) => number | null;
  /** The reason why a channel may not have this call, whatever is left; undefined if it may. */
  bars?: (channel: Channel) => RouteReason | undefined;
}

/** A policy's rule for one request. Without a field: one random draw by share. */
export interface Rule {
  /** The channels with the lowest value are the only ones drawn. */
  least?: (channel: Channel) => number;
  /**
   * The better of two draws has the lower value: nearly as good as the best, and simultaneous calls do not all use one.
   */
  worth?: (channel: Channel) => number;
  /** The session always has the same channel. */
  session?: string;
}

/** The rule of each policy. */
export const rulesOf = (paces: Paces): Record<RoutingPolicy, (request: RouteRequest) => Rule> => ({
  random: () => byShare,
  least_busy: () => ({ worth: (channel) => (paces.runningOn(channel) + 1) / shareOf(channel) }),
  fastest: () => ({ worth: paces.waitFor }),
  // Without a known cost, all channels are equal.
  cheapest: ({ costOn }) => (costOn ? { least: (channel) => costOn(channel) ?? Infinity } : byShare),
  sticky: ({ session }) => ({ session: session?.() ?? '' }),
});

const byShare: Rule = {};

/** Picks one channel of a level at random by share, usable or not; `chance` is in [0, 1). Allocates nothing. */
export function pickAny({ channels, kept, other }: Level, chance: number): Channel {
  const point = chance * channels.length;
  const place = Math.floor(point);
  return channels[point - place < kept[place]! ? place : other[place]!]!;
}

/** Chooses among the usable channels of a level; null if there are none. */
export function pickBy(
  { least, worth, session = '' }: Rule,
  level: Level,
  random: () => number,
  usable: (channel: Channel) => boolean,
): Channel | null {
  if (session !== '') return stuckChannel(session, level.channels.filter(usable));
  const drawn = least ? leastOf(level.channels.filter(usable), least) : usable;
  const one = drawFrom(level, random, drawn);
  if (!worth || !one) return one;
  const other = drawFrom(level, random, drawn);
  return other && worth(other) < worth(one) ? other : one;
}

/**
 * The probability with which `pickBy` returns each of the usable channels of a level; those with a probability of 0 are
 * omitted.
 */
export function oddsBy(
  { least, worth, session = '' }: Rule,
  usable: readonly Channel[],
): Map<Channel, number> {
  if (session !== '') {
    const stuck = stuckChannel(session, usable);
    return new Map(stuck ? [[stuck, 1]] : []);
  }
  const drawn = least ? usable.filter(leastOf(usable, least)) : usable;
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

function stuckChannel(session: string, channels: readonly Channel[]): Channel | null {
  const place = stuckPlace(
    session,
    channels.map(({ id }) => id),
    (at) => shareOf(channels[at]!),
  );
  return channels[place] ?? null;
}

/** True for the channels with the lowest value. */
function leastOf(
  channels: readonly Channel[],
  valueOf: (channel: Channel) => number,
): (channel: Channel) => boolean {
  const values = new Map(channels.map((channel) => [channel, valueOf(channel)]));
  const least = Math.min(...values.values());
  return (channel) => values.get(channel) === least;
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
function drawFrom(level: Level, random: () => number, usable: (channel: Channel) => boolean): Channel | null {
  for (let draw = 0; draw < quickDraws; draw += 1) {
    const channel = pickAny(level, random());
    if (usable(channel)) return channel;
  }
  return pickUsable(level, random(), usable);
}

/** Picks at random among the channels of a level that `usable` accepts; null if there are none. */
function pickUsable(level: Level, chance: number, usable: (channel: Channel) => boolean): Channel | null {
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

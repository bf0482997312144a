import type { RoutingPolicy } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { sharedRun } from '../../../lib/shared-run.ts';
import type { Channel } from '../../../relay/types/index.ts';
import type { RoutedChannel } from '../channels/index.ts';
import { createKeyChoice, type TriedIds } from './choose-key.ts';
import { type Health, Paces } from './health.ts';
import { buildRouteIndex, emptyIndex, type Level, type RouteIndex, shareOf } from './route-index.ts';
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
}

/**
 * Chooses the channel of a request (docs/compatibility.md#channel-selection). All functions work from memory, without
 * waiting.
 */
export interface Routing {
  /** The levels of a group and model, the highest priority first; empty if there is no enabled channel. */
  candidates(group: string, model: string): readonly Level[];
  /**
   * The channel for the next attempt: chosen by weight, or by the policy of its group and model, from the highest
   * priority that has one left. Channels in `tried` are never chosen again. Channels in cooldown after many failures,
   * and those not meant for such a long input, are chosen only if no other is left. Null if all have been tried. For a
   * channel with several keys, a key is chosen in the same way.
   */
  choose(request: RouteRequest, tried: TriedIds): Channel | null;
  /** Like `choose`, for a request that may not be sent: it is not a test of a recovering channel. */
  foresee(request: RouteRequest, tried: TriedIds): Channel | null;
  /** Marks the start of an attempt: it tests a recovering channel or key, and counts as a use of the key. */
  begins(channel: Channel): void;
  /** Marks the end of an attempt. */
  ends(channel: Channel): void;
  /** Records the wait for the first byte of an answer, in ms after the start of its attempt. */
  answeredAfter(channel: Channel, ms: number): void;
  /** Any channel, including disabled ones; for keys that select one. */
  byId(id: number): RoutedChannel | undefined;
  /**
   * A channel with one of its keys, if it has several: the key with this id if it exists, otherwise the result of
   * `choose`.
   */
  withKey(channel: Channel, keyId?: string): Channel;
  /** Names of the models that a group can call, sorted. */
  modelsOf(group: string): readonly string[];
  /** The groups that have an enabled channel for a model. */
  groupsOf(model: string): readonly string[];
  /** Location of a model's enabled channels that this group lacks: in the group, in other groups, or none. */
  offered(group: string, model: string): 'here' | 'elsewhere' | 'nowhere';
  /** Every model with an enabled channel, sorted. */
  models(): readonly string[];
  /** Reports how an attempt ended, here or in another process, so that a failing channel gets a cooldown. */
  readonly health: Pick<Health, 'chosen' | 'failed' | 'succeeded' | 'apply' | 'cooldownUntil'>;
  /** Reads the channels again. Calls during a run share one further run, which sees their changes. */
  reload(): Promise<void>;
}

interface RoutingDeps {
  loadChannels(): Promise<readonly RoutedChannel[]>;
  /** A number in [0, 1). */
  random: () => number;
  health: Health;
  policyOf(group: string, model: string): RoutingPolicy;
  clock: Clock;
  /** Called for each attempt with one of several keys; must not wait. */
  onKeyUse(channelId: number, keyId: string): void;
  log: Log;
}

const noneTried: TriedIds = new Set();
const noLevels: readonly Level[] = [];
const noNames: readonly string[] = [];

/**
 * Random choices tried before every channel of the level is examined: if few channels are unusable, the first or
 * second succeeds.
 */
const quickDraws = 4;

/** Starts empty; the first `reload` fills it. */
export function createRouting(deps: RoutingDeps): Routing {
  const { health, random } = deps;
  const keys = createKeyChoice(deps);
  const paces = new Paces();
  let index: RouteIndex = emptyIndex;

  // A name that a channel lists has precedence over the wildcard of its family.
  const levelsOf = (group: string, model: string): readonly Level[] => {
    const models = index.levels.get(group);
    return models?.get(model) ?? models?.get(routingName(model)) ?? noLevels;
  };

  // Nearly every request ends here: one choice, no allocation.
  const firstTry = (levels: readonly Level[], inputTokens: number): Channel | null => {
    const level = levels[0];
    if (level === undefined) return null;
    const channel = pickAny(level, random());
    if (!takes(channel, inputTokens) || !health.available(channel.id)) return null;
    return channel.keys === undefined || keys.isLeft(channel, noneTried, true) ? channel : null;
  };

  /** The better of two random channels: nearly as good as the best, and simultaneous calls do not all use one. */
  const betterOfTwo =
    (worth: (channel: Channel) => number): Draw =>
    (level, usable) => {
      const [one, other] = [drawFrom(level, random, usable), drawFrom(level, random, usable)];
      return one && other && worth(other) < worth(one) ? other : one;
    };
  const pickers: Record<RoutingPolicy, (request: RouteRequest) => Draw> = {
    random: () => (level, usable) => drawFrom(level, random, usable),
    least_busy: () => betterOfTwo((channel) => (paces.runningOn(channel) + 1) / shareOf(channel)),
    fastest: () => betterOfTwo(paces.waitFor),
    cheapest:
      ({ costOn = () => null }) =>
      (level, usable) =>
        drawFrom(level, random, cheapestOf(level.channels.filter(usable), costOn)),
    sticky(request) {
      const session = request.session?.() ?? '';
      if (session === '') return pickers.random(request);
      return ({ channels }, usable) => {
        const found = channels.filter(usable);
        const place = stuckPlace(
          session,
          found.map(({ id }) => id),
          (at) => shareOf(found[at]!),
        );
        return found[place] ?? null;
      };
    },
  };

  const anyTry = (
    levels: readonly Level[],
    tried: TriedIds,
    inputTokens: number,
    pick: Draw,
  ): Channel | null => {
    const untried = (channel: Channel) => !tried.has(channel.id) && keys.isLeft(channel, tried, false);
    const healthy = (channel: Channel) =>
      !tried.has(channel.id) && health.available(channel.id) && keys.isLeft(channel, tried, true);
    const fitting = (channel: Channel) => healthy(channel) && takes(channel, inputTokens);
    for (const usable of [fitting, healthy, untried]) {
      for (const level of levels) {
        const channel = pick(level, usable);
        if (channel) return channel;
      }
    }
    return null;
  };

  const find = (request: RouteRequest, tried: TriedIds): Channel | null => {
    const { group, model, inputTokens = 0 } = request;
    const levels = levelsOf(group, model);
    const policy = deps.policyOf(group, model);
    return (
      (policy === 'random' && tried.size === 0 && firstTry(levels, inputTokens)) ||
      anyTry(levels, tried, inputTokens, pickers[policy](request))
    );
  };

  /** A session also sticks to one of several keys. */
  const sessionOf = (request: RouteRequest): string =>
    deps.policyOf(request.group, request.model) === 'sticky' ? (request.session?.() ?? '') : '';

  return {
    candidates: levelsOf,
    choose(request, tried) {
      const channel = find(request, tried);
      if (!channel) return null;
      health.chosen(channel.id);
      if (channel.keys === undefined) return channel;
      const keyed = keys.choose(channel, tried, sessionOf(request));
      if (keyed.chosenKey) health.chosen(keyed.chosenKey.id);
      return keyed;
    },
    foresee(request, tried) {
      const channel = find(request, tried);
      return channel?.keys === undefined ? channel : keys.choose(channel, tried, sessionOf(request));
    },
    begins(channel) {
      const { id, chosenKey } = channel;
      paces.begins(channel);
      health.chosen(id);
      if (chosenKey === undefined) return;
      health.chosen(chosenKey.id);
      deps.onKeyUse(id, chosenKey.id);
    },
    ends: (channel) => paces.ends(channel),
    answeredAfter: (channel, ms) => paces.answeredAfter(channel, ms),
    withKey(channel, keyId) {
      if (channel.keys === undefined) return channel;
      const all = keyId ? (index.byId.get(channel.id)?.keys ?? []) : [];
      const wanted = all.find(({ channel: { chosenKey } }) => chosenKey.id === keyId);
      return wanted?.channel ?? keys.choose(channel, noneTried);
    },
    byId: (id) => index.byId.get(id),
    modelsOf: (group) => index.modelsOfGroup.get(group) ?? noNames,
    groupsOf: (model) =>
      index.groupsOfModel.get(model) ?? index.groupsOfModel.get(routingName(model)) ?? noNames,
    offered(group, model) {
      let isOffered = false;
      for (const name of [model, routingName(model)]) {
        const disabled = index.disabledIn.get(name);
        if (disabled?.has(group)) return 'here';
        isOffered ||= disabled !== undefined || index.groupsOfModel.has(name);
      }
      return isOffered ? 'elsewhere' : 'nowhere';
    },
    models: () => [...index.groupsOfModel.keys()].toSorted(),
    health,
    reload: sharedRun(async () => {
      const channels = await deps.loadChannels();
      const before = index.byId;
      index = buildRouteIndex(channels);
      // The failures of a key do not count against its replacement. Several keys have separate states.
      const isSame = (id: number): boolean => {
        const now = index.byId.get(id);
        return now?.keys !== undefined || now?.channel.key === before.get(id)?.channel.key;
      };
      const keyIds = new Set(
        channels.flatMap((each) => each.keys?.map(({ channel }) => channel.chosenKey.id) ?? []),
      );
      paces.keepOnly((id) => index.byId.has(id));
      health.keepOnly((id) => (typeof id === 'string' ? keyIds.has(id) : index.byId.has(id) && isSame(id)));
      deps.log.debug({ channels: channels.length }, 'channels loaded');
    }),
  };
}

/** Chooses among the channels of a level that may be used; null if there are none. */
type Draw = (level: Level, usable: (channel: Channel) => boolean) => Channel | null;

/** True for the channels with the lowest cost of a typical call; true for all if no cost is known. */
function cheapestOf(
  channels: readonly Channel[],
  costOn: (channel: Channel) => number | null,
): (channel: Channel) => boolean {
  const costs = new Map(channels.map((channel) => [channel, costOn(channel) ?? Infinity]));
  const least = Math.min(...costs.values());
  return (channel) => costs.get(channel) === least;
}

/** Whether a channel is meant for an input of this length; the estimate is never far below the real length. */
const takes = ({ maxInputTokens }: Channel, inputTokens: number): boolean =>
  maxInputTokens === 0 || inputTokens <= maxInputTokens;

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

/**
 * Picks one channel of a level at random; `chance` is in [0, 1). For levels with available channels only: it allocates
 * and sums nothing.
 */
function pickAny(level: Level, chance: number): Channel {
  const point = chance * level.total;
  const { shares } = level;
  let low = 0;
  let high = shares.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (point < shares[middle]!) high = middle;
    else low = middle + 1;
  }
  return level.channels[low]!;
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

const starred = ['gpt-4-gizmo', 'gpt-4o-gizmo'] as const;

/**
 * The name under which a model is looked up: all GPTs of OpenAI's store share one wildcard entry
 * (docs/compatibility.md#channel-selection: `gpt-4-gizmo-g-123` → `gpt-4-gizmo-*`), all others are looked up
 * unchanged.
 */
export function routingName(model: string): string {
  // The cheap check is first: this runs on every request, and almost no name has this part.
  if (!model.startsWith('gpt-4')) return model;
  for (const prefix of starred) if (model.startsWith(prefix)) return `${prefix}-*`;
  return model;
}

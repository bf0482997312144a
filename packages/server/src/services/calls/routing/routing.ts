import { channelStatus, type RouteReason, type RoutingPolicy } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { sharedRun } from '../../../lib/shared-run.ts';
import type { Channel } from '../../../relay/types/index.ts';
import type { RoutedChannel } from '../channels/index.ts';
import { exhaustedMs } from './again.ts';
import { createKeyChoice, healthId, type TriedIds } from './choose-key.ts';
import { type Health, Paces } from './health.ts';
import { oddsBy, pickAny, pickBy, type RouteRequest, rulesOf } from './policies.ts';
import { buildRouteIndex, emptyIndex, type Level, type RouteIndex } from './route-index.ts';

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
   * and those not meant for such a long input, are chosen only if no other is left. Null if none is left that the
   * request does not bar. For a
   * channel with several keys, a key is chosen in the same way.
   */
  choose(request: RouteRequest, tried: TriedIds): Channel | null;
  /** Like `choose`, for a request that may not be sent: it is not a test of a recovering channel. */
  foresee(request: RouteRequest, tried: TriedIds): Channel | null;
  /** Every channel of the site with its odds in `choose` and the reason against it; the highest odds first. */
  explain(request: RouteRequest, tried: TriedIds): Candidate[];
  /** The policy of a group and model. */
  policyOf(group: string, model: string): RoutingPolicy;
  /** Marks the start of an attempt: it tests a recovering channel or key, and counts as a use of the key. */
  begins(channel: Channel): void;
  /** Marks the end of an attempt. */
  ends(channel: Channel): void;
  /** Reads the head of a good answer: without remaining calls or tokens, the channel or key gets a cooldown. */
  answeredWith(channel: Channel, headers: Parameters<typeof exhaustedMs>[0]): void;
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

/** Starts empty; the first `reload` fills it. */
export function createRouting(deps: RoutingDeps): Routing {
  const { health, random } = deps;
  const keys = createKeyChoice(deps);
  const paces = new Paces();
  const rules = rulesOf(paces);
  let index: RouteIndex = emptyIndex;

  // A name that a channel lists has precedence over the wildcard of its family.
  const levelsOf = (group: string, model: string): readonly Level[] => {
    const models = index.levels.get(group);
    return models?.get(model) ?? models?.get(routingName(model)) ?? noLevels;
  };

  // Nearly every request ends here: one choice, no allocation.
  const firstTry = (request: RouteRequest): Channel | null => {
    const level = levelsOf(request.group, request.model)[0];
    if (level === undefined) return null;
    const channel = pickAny(level, random());
    return suitabilityOf(channel, noneTried, request) === 'fits' ? channel : null;
  };

  const isLeft = (channel: Channel, tried: TriedIds, isHealthy: boolean): boolean =>
    channel.keys === undefined || keys.isLeft(channel, tried, isHealthy);

  const suitabilityOf = (
    channel: Channel,
    tried: TriedIds,
    { inputTokens = 0, bars }: RouteRequest,
  ): Suitability => {
    if (bars?.(channel)) return 'barred';
    if (tried.has(channel.id) || !isLeft(channel, tried, false)) return 'tried';
    if (!health.available(channel.id) || !isLeft(channel, tried, true)) return 'cooldown';
    return takes(channel, inputTokens) ? 'fits' : 'too_long';
  };

  /** The first result of a level with usable channels, from the best channels that are left. */
  const fromBest = <Found>(
    request: RouteRequest,
    tried: TriedIds,
    choose: (level: Level, usable: (channel: Channel) => boolean) => Found | null,
  ): Found | null => {
    const levels = levelsOf(request.group, request.model);
    for (const accepted of passes) {
      const usable = (channel: Channel) => accepted.has(suitabilityOf(channel, tried, request));
      for (const level of levels) {
        const found = choose(level, usable);
        if (found) return found;
      }
    }
    return null;
  };

  const find = (request: RouteRequest, tried: TriedIds): Channel | null => {
    const policy = deps.policyOf(request.group, request.model);
    const quick = policy === 'random' && tried.size === 0 ? firstTry(request) : null;
    if (quick) return quick;
    const rule = rules[policy](request);
    return fromBest(request, tried, (level, usable) => pickBy(rule, level, random, usable));
  };

  /** Every channel of the site, those with the highest odds first. */
  const explain = (request: RouteRequest, tried: TriedIds): Candidate[] => {
    const { group, model } = request;
    const rule = rules[deps.policyOf(group, model)](request);
    const pool = fromBest(request, tried, (level, usable) => {
      const odds = oddsBy(rule, level, usable);
      return odds.size > 0 ? { level, odds } : null;
    });
    const offering = new Map(
      levelsOf(group, model).flatMap((level) => level.channels.map((channel) => [channel.id, level])),
    );
    const name = index.levels.get(group)?.has(model) ? model : routingName(model);
    const candidates = [...index.byId.values()].map((routed): Candidate => {
      const { id, keys: several } = routed.channel;
      const level = offering.get(id);
      const channel = level?.channels.find((each) => each.id === id);
      const odds = (channel && pool?.odds.get(channel)) ?? 0;
      const ends = several?.usable.map(({ chosenKey }) => health.cooldownUntil(chosenKey!.id)) ?? [];
      const reasonOf = (): RouteReason | undefined => {
        if (!channel || !level) return absence(routed, group, [model, name]);
        const suits = suitabilityOf(channel, tried, request);
        if (suits === 'barred') return request.bars?.(channel);
        if (suits !== 'fits') return suits;
        if (odds > 0) return undefined;
        if (level !== pool?.level) return 'lower_priority';
        return rule.stuck ? 'other_session' : 'dearer';
      };
      return {
        routed,
        odds,
        reason: reasonOf(),
        cooldownUntil: health.cooldownUntil(id) || (ends.length > 0 ? Math.min(...ends) : 0),
      };
    });
    return candidates.toSorted((a, b) => b.odds - a.odds || a.routed.channel.id - b.routed.channel.id);
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
    explain,
    policyOf: (group, model) => deps.policyOf(group, model),
    begins(channel) {
      const { id, chosenKey } = channel;
      paces.begins(channel);
      health.chosen(id);
      if (chosenKey === undefined) return;
      health.chosen(chosenKey.id);
      deps.onKeyUse(id, chosenKey.id);
    },
    ends: (channel) => paces.ends(channel),
    answeredWith(channel, headers) {
      const waitMs = exhaustedMs(headers, deps.clock());
      if (waitMs > 0) health.failed(healthId(channel), waitMs);
    },
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

/** How unsuitable a channel is for the next attempt. A worse one is used only if no better one is left. */
const suitability = ['fits', 'too_long', 'cooldown', 'tried', 'barred'] as const;
type Suitability = (typeof suitability)[number];
/** Accepted channels of each pass; tried and barred ones are never accepted. */
const passes = suitability
  .slice(0, -2)
  .map((_, worst) => new Set<Suitability>(suitability.slice(0, worst + 1)));

/** Whether a channel is meant for an input of this length; the estimate is never far below the real length. */
const takes = ({ maxInputTokens }: Channel, inputTokens: number): boolean =>
  maxInputTokens === 0 || inputTokens <= maxInputTokens;

/** A channel as the choice sees it. */
export interface Candidate {
  routed: RoutedChannel;
  /** Probability of the next attempt, from 0 to 1. */
  odds: number;
  /** Undefined for a channel in good order. With odds above 0: no better channel is left. */
  reason: RouteReason | undefined;
  /** Clock ms at which a cooldown ends; 0 without one. */
  cooldownUntil: number;
}

/** Why an existing channel does not offer a model, by any of its names, to a group. */
function absence({ status, groups, models, channel }: RoutedChannel, group: string, names: string[]) {
  if (!names.some((name) => models.includes(name))) return 'other_model';
  if (!groups.includes(group)) return 'other_group';
  if (status === channelStatus.autoDisabled) return 'auto_disabled';
  if (status !== channelStatus.enabled) return 'disabled';
  return channel.keys?.usable.length === 0 ? 'no_key' : 'other_model';
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

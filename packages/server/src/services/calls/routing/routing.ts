import type { Log } from '../../../lib/log.ts';
import { sharedRun } from '../../../lib/shared-run.ts';
import type { Channel } from '../../../relay/types/index.ts';
import type { RoutedChannel } from '../channels/index.ts';
import type { Health } from './health.ts';
import { pickAny, pickUsable, type Level } from './levels.ts';
import { routingName } from './model-name.ts';
import { buildRouteIndex, emptyIndex, type RouteIndex } from './route-index.ts';

/**
 * Which channel serves a request (docs/compatibility.md#channel-selection). All functions work from memory, without
 * waiting.
 */
export interface Routing {
  /** The levels of a group and model, the highest priority first; empty if there is no enabled channel. */
  candidates(group: string, model: string): readonly Level[];
  /**
   * The channel for the next attempt: chosen by weight from the highest level that has one left. Channels in `tried`
   * are never chosen again; those in cooldown after many failures, or not meant for such a long input, only if
   * nothing else is left. Null if all have been tried.
   */
  choose(group: string, model: string, tried: ReadonlySet<number>, inputTokens?: number): Channel | null;
  /** Any channel, including disabled ones; for keys that select one. */
  byId(id: number): RoutedChannel | undefined;
  /** Names of the models that a group can call, sorted. */
  modelsOf(group: string): readonly string[];
  /** The groups that have an enabled channel for a model. */
  groupsOf(model: string): readonly string[];
  /** Where a model without an enabled channel in a group has one: in the group, in others, or nowhere. */
  offered(group: string, model: string): 'here' | 'elsewhere' | 'nowhere';
  /** Every model with an enabled channel, sorted. */
  models(): readonly string[];
  /** Reports how an attempt ended, here or in another process, so that a failing channel gets a cooldown. */
  readonly health: Pick<Health, 'failed' | 'succeeded' | 'apply'>;
  /** Reads the channels again. Calls made while it runs share one further run, which sees their changes. */
  reload(): Promise<void>;
}

interface RoutingDeps {
  loadChannels(): Promise<readonly RoutedChannel[]>;
  /** A number in [0, 1). */
  random: () => number;
  health: Health;
  log: Log;
}

const noLevels: readonly Level[] = [];
const noNames: readonly string[] = [];

/**
 * Random choices tried before every channel of the level is examined: if few channels are unusable, the first or
 * second succeeds.
 */
const quickDraws = 4;

/** Starts empty; the first `reload` fills it. */
export function createRouting(deps: RoutingDeps): Routing {
  const { health } = deps;
  let index: RouteIndex = emptyIndex;

  // A name that a channel lists comes before the wildcard of its family.
  const levelsOf = (group: string, model: string): readonly Level[] => {
    const models = index.levels.get(group);
    return models?.get(model) ?? models?.get(routingName(model)) ?? noLevels;
  };

  // Nearly every request ends here: one choice, nothing allocated.
  const firstTry = (levels: readonly Level[], inputTokens: number): Channel | null => {
    const level = levels[0];
    if (level === undefined) return null;
    const channel = pickAny(level, deps.random());
    return takes(channel, inputTokens) && health.available(channel.id) ? channel : null;
  };

  const anyTry = (
    levels: readonly Level[],
    tried: ReadonlySet<number>,
    inputTokens: number,
  ): Channel | null => {
    const untried = (channel: Channel) => !tried.has(channel.id);
    const healthy = (channel: Channel) => untried(channel) && health.available(channel.id);
    const fitting = (channel: Channel) => healthy(channel) && takes(channel, inputTokens);
    for (const usable of [fitting, healthy, untried]) {
      for (const level of levels) {
        const channel = drawFrom(level, deps.random, usable);
        if (channel) return channel;
      }
    }
    return null;
  };

  return {
    candidates: levelsOf,
    choose(group, model, tried, inputTokens = 0) {
      const levels = levelsOf(group, model);
      const channel =
        (tried.size === 0 && firstTry(levels, inputTokens)) || anyTry(levels, tried, inputTokens);
      if (channel) health.chosen(channel.id);
      return channel;
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
      index = buildRouteIndex(channels);
      health.keepOnly((id) => index.byId.has(id));
      deps.log.debug({ channels: channels.length }, 'channels loaded');
    }),
  };
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

import type { Log } from '../../lib/log.ts';
import { sharedRun } from '../../lib/shared-run.ts';
import type { Channel } from '../../relay/types/index.ts';
import type { RoutedChannel } from '../channels/index.ts';
import type { Health } from './health.ts';
import { drawAny, drawUsable, type Level } from './levels.ts';
import { routingName } from './model-name.ts';
import { buildRouteIndex, emptyIndex, type RouteIndex } from './route-index.ts';

/**
 * Which channel carries a request (docs/compatibility.md#channel-selection). All questions are answered from memory,
 * none waits.
 */
export interface Routing {
  /** The levels of a group and model, the highest priority first; empty when there is no enabled channel. */
  candidates(group: string, model: string): readonly Level[];
  /**
   * The channel for the next try: drawn by weight from the highest level that has one left. Channels in `tried` are
   * never drawn again; those that rest after many failures, or that are not meant for so long an input, only when
   * nothing else is left. Null when all are used up.
   */
  choose(group: string, model: string, tried: ReadonlySet<number>, inputTokens?: number): Channel | null;
  /** Any channel, disabled ones too; for pinned keys. */
  byId(id: number): RoutedChannel | undefined;
  /** Names of the models a group can call, sorted. */
  modelsOf(group: string): readonly string[];
  /** The groups that have an enabled channel for a model. */
  groupsOf(model: string): readonly string[];
  /** Every model with an enabled channel, sorted. */
  models(): readonly string[];
  /** Tells how a try ended, here or in another process, so that a failing channel rests. */
  readonly health: Pick<Health, 'failed' | 'succeeded' | 'heard'>;
  /** Reads the channels anew. Calls made while it runs share one further run, which sees what they saw changed. */
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

/** Draws tried before every channel of the level is looked at: with few channels unusable, the first or second hits. */
const quickDraws = 4;

/** Starts empty; the first `reload` fills it. */
export function createRouting(deps: RoutingDeps): Routing {
  const { health } = deps;
  let index: RouteIndex = emptyIndex;

  const levelsOf = (group: string, model: string): readonly Level[] =>
    index.levels.get(group)?.get(routingName(model)) ?? noLevels;

  // Nearly every request ends here: one draw, nothing allocated.
  const firstTry = (levels: readonly Level[], inputTokens: number): Channel | null => {
    const level = levels[0];
    if (level === undefined) return null;
    const channel = drawAny(level, deps.random());
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
    groupsOf: (model) => index.groupsOfModel.get(routingName(model)) ?? noNames,
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

/** Whether a channel is meant for an input so long; the estimate is never far below the truth. */
const takes = ({ maxInputTokens }: Channel, inputTokens: number): boolean =>
  maxInputTokens === 0 || inputTokens <= maxInputTokens;

/**
 * One draw among the usable channels of a level. Throwing again when an unusable one came up keeps the odds of the
 * others as they are, and costs the same for one channel as for a thousand.
 */
function drawFrom(level: Level, random: () => number, usable: (channel: Channel) => boolean): Channel | null {
  for (let draw = 0; draw < quickDraws; draw += 1) {
    const channel = drawAny(level, random());
    if (usable(channel)) return channel;
  }
  return drawUsable(level, random(), usable);
}

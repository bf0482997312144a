import type { Channel } from '../../../relay/types/index.ts';

/** The channels of one group and model with the same priority: all of them are tried before the next level. */
export interface Level {
  priority: number;
  channels: readonly Channel[];
  /** Running sums of each channel's share, so that a random choice is a binary search. */
  shares: Float64Array;
  total: number;
}

/**
 * Added to every weight, so that a channel of weight 0 is still chosen sometimes
 * (docs/compatibility.md#channel-selection).
 */
const weightBase = 10;

/** A channel's share in a random choice. A negative weight of an invalid row counts as 0. */
const shareOf = (channel: Channel): number => Math.max(0, channel.weight) + weightBase;

/** Sorts channels into levels, the highest priority first; within a level the smallest id first. */
export function buildLevels(channels: readonly Channel[]): Level[] {
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

function levelOf(priority: number, channels: Channel[]): Level {
  const shares = new Float64Array(channels.length);
  let total = 0;
  for (const [index, channel] of channels.entries()) {
    total += shareOf(channel);
    shares[index] = total;
  }
  return { priority, channels, shares, total };
}

/**
 * Picks one channel of a level at random; `chance` is in [0, 1). For levels whose channels are all available: nothing
 * is allocated or summed.
 */
export function pickAny(level: Level, chance: number): Channel {
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
export function pickUsable(
  level: Level,
  chance: number,
  usable: (channel: Channel) => boolean,
): Channel | null {
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

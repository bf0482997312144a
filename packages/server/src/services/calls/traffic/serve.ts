import type { RoutingPolicy } from '@tollgate/contract';
import type { Channel } from '../../../relay/types/index.ts';
import { type Level, oddsBy, type Rule } from '../routing/index.ts';
import type { Rate } from './rates.ts';

/** Expected course of a call. */
export interface Served {
  /** Probability with which each channel answers. */
  by: ReadonlyMap<Channel, number>;
  /** Probability that one of them does. */
  success: number;
  /** Expected wait for the first byte of the calls that are answered, in ms, times `success`. */
  waited: number;
  /** Part of `success` on channels without a known rate. */
  guessed: number;
}

export interface ServeOptions {
  levels: readonly Level[];
  policy: RoutingPolicy;
  isUsable: (channel: Channel) => boolean;
  rateOf: (channel: Channel) => Rate;
  /** Cost of a usual call for the operator; null if unknown. */
  usualCost: (channel: Channel) => number | null;
  /** Largest number of attempts. */
  attempts: number;
}

/** Courses with a lower probability are not followed further than one attempt. */
const least = 1e-4;

/**
 * The policy's rule for a past minute. Which calls ran at the same time and which sessions they belonged to is not
 * known, so `least_busy` and `sticky` are draws by weight.
 */
const ruleFor = ({ policy, rateOf }: ServeOptions): Rule =>
  policy === 'fastest' ? { worth: (channel) => rateOf(channel).waitMs } : {};

/** Those of some channels that a policy draws from: the cheapest, or all. */
function drawnBy({ policy, usualCost }: ServeOptions, channels: readonly Channel[]): readonly Channel[] {
  if (policy !== 'cheapest') return channels;
  const costs = new Map(channels.map((channel) => [channel, usualCost(channel) ?? Infinity]));
  const lowest = Math.min(...costs.values());
  return channels.filter((channel) => costs.get(channel) === lowest);
}

/** Follows all courses of a call: its choice, and after a failure the next among those that are left. */
export function serve(options: ServeOptions): Served {
  const { levels, isUsable, rateOf } = options;
  const rule = ruleFor(options);
  const rates = new Map<Channel, Rate>();
  const usable = new Map(levels.map((level) => [level, level.channels.filter(isUsable)]));
  for (const channel of [...usable.values()].flat()) rates.set(channel, rateOf(channel));
  const by = new Map<Channel, number>();
  const sum = { success: 0, waited: 0, guessed: 0 };
  const follow = (tried: ReadonlySet<Channel>, chance: number, waited: number, attempts: number): void => {
    if (attempts === 0) return;
    const level = levels.find((each) => usable.get(each)!.some((channel) => !tried.has(channel)));
    if (!level) return;
    const left = new Set(
      drawnBy(
        options,
        usable.get(level)!.filter((channel) => !tried.has(channel)),
      ),
    );
    for (const [channel, odds] of oddsBy(rule, level, (each) => left.has(each))) {
      const { success, waitMs, isGuess } = rates.get(channel)!;
      const answered = chance * odds * success;
      const failed = chance * odds - answered;
      by.set(channel, (by.get(channel) ?? 0) + answered);
      sum.success += answered;
      sum.waited += answered * (waited + waitMs);
      if (isGuess) sum.guessed += answered;
      const more = chance < least ? 0 : attempts - 1;
      if (failed > 0) follow(new Set([...tried, channel]), failed, waited + waitMs, more);
    }
  };
  follow(new Set(), 1, 0, options.attempts);
  return { by, ...sum };
}

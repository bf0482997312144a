import { type PriceSnapshot, quotaOf, usageOf } from '@tollgate/contract';
import type { Costs } from './costs.ts';

/** A channel as its prices and its costs are compared. */
export interface SoldChannel {
  id: number;
  models: readonly string[];
  groups: readonly string[];
  modelMapping: Readonly<Record<string, string>>;
}

export interface BelowCostDeps {
  costs: Pick<Costs, 'of'>;
  /** The price of a model in a group; undefined where it has none. */
  priceOf(model: string, group: string): PriceSnapshot | undefined;
}

const million = 1_000_000;
/** What is compared: a million tokens of each class that cost prices name; of prices per call each is one call. */
const samples = [
  usageOf({ input: million }),
  usageOf({ output: million }),
  usageOf({ cacheRead: million }),
  usageOf({ cacheWrite5m: million }),
];

/** The models of a channel that one of its groups is sold below what they cost here, in the order of the channel's list. */
export function modelsBelowCost(deps: BelowCostDeps, channel: SoldChannel): string[] {
  return channel.models.filter((model) =>
    channel.groups.some((group) => isBelow(deps, channel, model, group)),
  );
}

function isBelow(deps: BelowCostDeps, channel: SoldChannel, model: string, group: string): boolean {
  const snapshot = deps.priceOf(model, group);
  if (!snapshot) return false;
  const upstreamModel = channel.modelMapping[model] ?? model;
  return samples.some((usage) => {
    const cost = deps.costs.of({ channelId: channel.id, model, upstreamModel, usage, snapshot });
    return cost !== null && cost > quotaOf(usage, snapshot);
  });
}

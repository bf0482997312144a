import { type PriceSnapshot, quotaOf, usageOf } from '@tollgate/contract';
import type { Costs } from './costs.ts';

/** A channel for the comparison of prices and costs. */
export interface SoldChannel {
  id: number;
  models: readonly string[];
  groups: readonly string[];
  modelMapping: Readonly<Record<string, string>>;
  /** Its calls have the price of the upstream's name. */
  priceAfterMapping: boolean;
}

export interface BelowCostDeps {
  costs: Pick<Costs, 'of'>;
  /** The price of a model in a group; undefined if it has none. */
  priceOf(model: string, group: string): PriceSnapshot | undefined;
}

const million = 1_000_000;
/** The compared amounts: a million tokens of each class for token prices, or one call for prices per call. */
const samples = [
  usageOf({ input: million }),
  usageOf({ output: million }),
  usageOf({ cacheRead: million }),
  usageOf({ cacheWrite5m: million }),
];

/** The models of a channel that sell below cost, in the order of its list, with the groups concerned. */
export function soldBelowCost(
  deps: BelowCostDeps,
  channel: SoldChannel,
): { models: string[]; groups: string[] } {
  const groupsOf = (model: string) => channel.groups.filter((group) => isBelow(deps, channel, model, group));
  const found = channel.models.map((model) => [model, groupsOf(model)] as const);
  return {
    models: found.filter(([, groups]) => groups.length > 0).map(([model]) => model),
    groups: channel.groups.filter((group) => found.some(([, groups]) => groups.includes(group))),
  };
}

function isBelow(deps: BelowCostDeps, channel: SoldChannel, model: string, group: string): boolean {
  const upstreamModel = channel.modelMapping[model] ?? model;
  const snapshot = deps.priceOf(channel.priceAfterMapping ? upstreamModel : model, group);
  if (!snapshot) return false;
  return samples.some((usage) => {
    const cost = deps.costs.of({ channelId: channel.id, model, upstreamModel, usage, snapshot });
    return cost !== null && cost > quotaOf(usage, snapshot);
  });
}

import { type GroupChoices, modelKindOf, type PricingItem } from '@tollgate/contract';

/** A model in the picker. */
export interface ModelChoice {
  name: string;
  price: PricingItem | undefined;
  /** The chosen group has a channel for it. */
  here: boolean;
}

/** Chat models first; models that are not called directly last. */
const kindRank = (name: string): number =>
  ({ chat: 0, embeddings: 2, rerank: 2, other: 2 })[modelKindOf(name) as string] ?? 1;

/** All models, without tools: those of the group first, chat models before others, then by name. */
export function modelChoices(
  models: readonly string[],
  prices: readonly PricingItem[],
  group: string,
): ModelChoice[] {
  const byName = new Map(prices.map((item) => [item.model_name, item]));
  const choices = models
    .filter((name) => byName.get(name)?.tool !== true)
    .map((name): ModelChoice => {
      const price = byName.get(name);
      // A model without a price entry is not known to lack a price.
      return { name, price, here: price === undefined || price.enable_groups.includes(group) };
    });
  const rank = ({ here, name }: ModelChoice) => (here ? 0 : 3) + kindRank(name);
  return choices.sort((one, two) => rank(one) - rank(two) || one.name.localeCompare(two.name));
}

/** The default model. */
const usualModel = 'gpt-4o-mini';

/**
 * The wanted model if the group has it, otherwise the default one, otherwise the first chat model; '' if there is none.
 */
export function pickModel(choices: readonly ModelChoice[], wanted: string): string {
  const names = choices.filter(({ here }) => here).map(({ name }) => name);
  if (names.includes(wanted)) return wanted;
  return names.includes(usualModel) ? usualModel : (names[0] ?? '');
}

/** Names of groups, the user's own first, without auto: the page shows the price in one group. */
export function groupNames(groups: GroupChoices, own: string): string[] {
  const others = Object.keys(groups).filter((name) => name !== own && !groups[name]?.groups);
  return Object.hasOwn(groups, own) ? [own, ...others] : others;
}

/** The group for a model: the current one if possible, otherwise the first that has the model. */
export function groupFor(price: PricingItem | undefined, current: string, names: readonly string[]): string {
  if (price === undefined || price.enable_groups.includes(current)) return current;
  return names.find((name) => price.enable_groups.includes(name)) ?? current;
}

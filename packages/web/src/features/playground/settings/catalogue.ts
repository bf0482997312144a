import { type GroupChoices, modelKindOf, type PricingItem } from '@tollgate/contract';

/** A model as the picker shows it. */
export interface ModelChoice {
  name: string;
  price: PricingItem | undefined;
  /** The chosen group has a channel for it. */
  here: boolean;
}

/** Chat models first, models that are not called by hand last. */
const kindRank = (name: string): number =>
  ({ chat: 0, embeddings: 2, rerank: 2, other: 2 })[modelKindOf(name) as string] ?? 1;

/** All models, those of the group first, those that chat before the others, by name. */
export function modelChoices(
  models: readonly string[],
  prices: readonly PricingItem[],
  group: string,
): ModelChoice[] {
  const byName = new Map(prices.map((item) => [item.model_name, item]));
  const choices = models.map((name): ModelChoice => {
    const price = byName.get(name);
    // A model without a price item is not known to be missing.
    return { name, price, here: price === undefined || price.enable_groups.includes(group) };
  });
  const rank = ({ here, name }: ModelChoice) => (here ? 0 : 3) + kindRank(name);
  return choices.sort((one, two) => rank(one) - rank(two) || one.name.localeCompare(two.name));
}

/** The model to begin with. */
const usualModel = 'gpt-4o-mini';

/** The wanted model if the group has it, else the usual one, else the first that chats; '' when there is none. */
export function pickModel(choices: readonly ModelChoice[], wanted: string): string {
  const names = choices.filter(({ here }) => here).map(({ name }) => name);
  if (names.includes(wanted)) return wanted;
  return names.includes(usualModel) ? usualModel : (names[0] ?? '');
}

/** Names of groups, the person's own first. */
export function groupNames(groups: GroupChoices, own: string): string[] {
  const others = Object.keys(groups).filter((name) => name !== own);
  return Object.hasOwn(groups, own) ? [own, ...others] : others;
}

/** The group a model can be called in: the current one if possible, else the first that has it. */
export function groupFor(price: PricingItem | undefined, current: string, names: readonly string[]): string {
  if (price === undefined || price.enable_groups.includes(current)) return current;
  return names.find((name) => price.enable_groups.includes(name)) ?? current;
}

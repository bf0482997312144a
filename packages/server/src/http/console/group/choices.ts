import type { Pricing } from '../../../services/money/pricing/index.ts';
import type { Routing } from '../../../services/calls/routing/index.ts';

export interface ChoiceDeps {
  pricing: Pick<Pricing, 'usableGroups'>;
  routing: Pick<Routing, 'modelsOf'>;
}

/** Names of the models of all groups that somebody of `group` may use, a person or an organisation. */
export function modelsWithin({ pricing, routing }: ChoiceDeps, group: string): string[] {
  const groups = Object.keys(pricing.usableGroups(group));
  return [...new Set(groups.flatMap((name) => routing.modelsOf(name)))].toSorted();
}

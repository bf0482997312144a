import { groupApi, modelApi } from '@tollgate/contract';
import { implement, type MountedRoute } from '../../implement.ts';
import type { Pricing } from '../../../services/money/pricing/index.ts';
import type { Routing } from '../../../services/calls/routing/index.ts';

export interface ChoiceDeps {
  pricing: Pick<Pricing, 'usableGroups'>;
  routing: Pick<Routing, 'modelsOf'>;
}

/** Names of the models in all groups that a member of `group`, a person or an organisation, may use. */
export function modelsWithin({ pricing, routing }: ChoiceDeps, group: string): string[] {
  const groups = Object.keys(pricing.usableGroups(group));
  return [...new Set(groups.flatMap((name) => routing.modelsOf(name)))].toSorted();
}

export interface GroupRouteDeps {
  /** Keys of the option GroupRatio. */
  groupNames(): readonly string[];
  /** Provider number → its built-in models, from the relay's registry. */
  modelsByType: Readonly<Record<string, readonly string[]>>;
}

/** Groups, and the built-in models of each provider (docs/compatibility.md#envelope-and-routes). */
export function groupRoutes(deps: GroupRouteDeps): MountedRoute[] {
  const byType = Object.fromEntries(
    Object.entries(deps.modelsByType).map(([type, names]) => [type, [...names]]),
  );
  return [
    ...implement(groupApi, { list: () => [...deps.groupNames()] }),
    ...implement(modelApi, { byType: () => byType }),
  ];
}

import { groupApi, modelApi } from '@tollgate/contract';
import { implement, type MountedRoute } from '../../implement.ts';

export { type ChoiceDeps, modelsWithin } from './choices.ts';

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

import type { Provider } from '../../../relay/types/index.ts';

/** Model name → `owned_by`: the first provider that lists it. */
export function ownersOfModels(
  providers: readonly Pick<Provider, 'models' | 'ownedBy'>[],
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const provider of providers) {
    for (const model of provider.models) if (!owners.has(model)) owners.set(model, provider.ownedBy);
  }
  return owners;
}

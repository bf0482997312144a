import { type ChannelTypeData, describeModel, type ModelObject } from '@tollgate/contract';
import type { Provider } from '../../../relay/types/index.ts';

/** The kinds of channels, in the order of the registry: adding a provider needs no edit in the console. */
export const channelTypesOf = (providers: readonly Provider[]): ChannelTypeData[] =>
  providers.map((provider) => ({
    type: provider.type,
    id: provider.id,
    name: provider.name,
    base_url: provider.baseUrl,
    key_hint: provider.hints.key,
    other_hint: provider.hints.other,
    address_hint: provider.hints.address,
    models: [...provider.models],
    testable: provider.testable,
    can_fetch_models: provider.fetchModels !== undefined || provider.isToolServer === true,
    has_balance: provider.balance !== undefined,
    closed: provider.isClosed === true,
  }));

/** Provider number → its built-in models (GET /api/models). */
export const modelsByTypeOf = (providers: readonly Provider[]): Record<string, readonly string[]> =>
  Object.fromEntries(providers.map((provider) => [String(provider.type), provider.models]));

/** Every built-in model once, owned by the first provider that lists it (GET /api/channel/models). */
export function modelObjectsOf(providers: readonly Provider[]): ModelObject[] {
  const owners = new Map<string, string>();
  for (const { models, ownedBy } of providers) {
    for (const model of models) if (!owners.has(model)) owners.set(model, ownedBy);
  }
  return [...owners].map(([model, owner]) => describeModel(model, owner));
}

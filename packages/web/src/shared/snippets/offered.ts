import { modelKindOf, pricingApi, type PricingItem } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** What the site offers to a person, null for a guest: who logs in sees other groups. */
export const offersQuery = (userId: number | null) =>
  queryOptions({
    queryKey: ['pricing', 'offers', userId],
    queryFn: ({ signal }) => call(pricingApi.list, {}, { signal }),
    staleTime: 60_000,
  });

/**
 * Names of the models that can be called in a group, by name: without a price only those of a site for oneself.
 *
 * @param servesUnpriced - the site serves models without a price
 */
export const callableModels = (
  offers: readonly PricingItem[],
  { group, servesUnpriced }: { group: string; servesUnpriced: boolean },
): string[] =>
  offers
    .filter(({ unset, enable_groups: groups }) => (servesUnpriced || !unset) && groups.includes(group))
    .map((item) => item.model_name)
    .sort();

/** The first model that converses; undefined where none does. */
export const firstChatModel = (models: readonly string[]): string | undefined =>
  models.find((model) => modelKindOf(model) === 'chat');

import { modelKindOf, pricingApi, type PricingItem } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** Models for a user, null for a guest: users see other groups than guests. */
export const offersQuery = (userId: number | null) =>
  queryOptions({
    queryKey: ['pricing', 'offers', userId],
    queryFn: ({ signal }) => call(pricingApi.list, {}, { signal }),
    staleTime: 60_000,
  });

/**
 * Names of the callable models of a group, sorted. Models without a price are included only if the site serves them.
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

/** The first chat model; undefined without one. */
export const firstChatModel = (models: readonly string[]): string | undefined =>
  models.find((model) => modelKindOf(model) === 'chat');

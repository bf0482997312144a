import { pricingApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { callFull } from '../../../lib/api/api-client.ts';

/** The price list as the person may see it: who logs in sees other groups, so it is refetched. */
export const pricingQuery = (userId: number | null) =>
  queryOptions({
    queryKey: ['pricing', userId],
    queryFn: async ({ signal }) => {
      const { data, extra } = await callFull(pricingApi.list, {}, { signal });
      return { items: data, groupRatios: extra.group_ratio, usableGroups: extra.usable_group };
    },
    staleTime: 60_000,
  });

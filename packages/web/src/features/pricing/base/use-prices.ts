import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useQuotaDisplay, useStatus } from '../../../lib/api/status.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import type { PriceView } from './rows.ts';
import { pricingApi } from '@tollgate/contract';
import { call, callFull } from '../../../lib/api/api-client.ts';

/** The price list for the user. It is refetched at log-in, because users see other groups than guests. */
const pricingQuery = (userId: number | null) =>
  queryOptions({
    queryKey: ['pricing', userId],
    queryFn: async ({ signal }) => {
      const { data, extra } = await callFull(pricingApi.list, {}, { signal });
      return { items: data, groupRatios: extra.group_ratio, usableGroups: extra.usable_group };
    },
    staleTime: 60_000,
  });

/** Facts of a model, offered here or not. */
export const factsQuery = (model: string) =>
  queryOptions({
    queryKey: ['pricing', 'facts', model],
    queryFn: ({ signal }) => call(pricingApi.facts, { model }, { signal }),
    staleTime: 60_000,
  });

/** The group whose prices a guest sees. */
const guestGroup = 'default';
const noRatios = {};

/** The price list for the user in the selected group; '' for their own. */
export function usePriceView(group: string) {
  const user = useCurrentUser();
  const { perUnit } = useQuotaDisplay();
  const servesUnpriced = useStatus()?.self_use_mode_enabled ?? false;
  const query = useQuery(pricingQuery(user?.id ?? null));
  const ownGroup = user?.group || guestGroup;
  const { groupRatios = noRatios, usableGroups = noRatios } = query.data ?? {};
  const view = useMemo<PriceView>(
    () => ({ group: group || ownGroup, groupRatios, usableGroups, quotaPerUnit: perUnit, servesUnpriced }),
    [group, ownGroup, groupRatios, usableGroups, perUnit, servesUnpriced],
  );
  return { query, ownGroup, view };
}

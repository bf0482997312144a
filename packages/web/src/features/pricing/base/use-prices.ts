import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useQuotaDisplay, useStatus } from '../../../lib/api/status.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { pricingQuery } from './queries.ts';
import type { PriceView } from './rows.ts';

/** Whose prices a guest sees. */
const guestGroup = 'default';
const noRatios = {};

/** The price list as the person may see it, in the group that is looked at; '' for their own. */
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

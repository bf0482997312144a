import { role, statusApi, type StatusData } from '@tollgate/contract';
import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { call } from './api-client.ts';
import type { QuotaDisplay } from '../format/number-format.ts';
import { useCurrentUser } from '../session.ts';
import { keepStatus, stored } from '../storage.ts';

export type Status = StatusData;

/** The site's public status: its name, its switches, its display of amounts. */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => {
    const status = await call(statusApi.status, {}, { signal });
    keepStatus(status);
    return status;
  },
  staleTime: 60_000,
});

/**
 * The status before the first page: the stored one of the last visit, so that pages open without waiting (the query
 * refetches in the background), otherwise the server's. A site that was not set up is always requested.
 */
export async function initialStatus(client: QueryClient): Promise<Status> {
  const known = client.getQueryData<Status>(statusQuery.queryKey);
  if (known?.setup) return known;
  const kept = stored.status.get();
  if (kept?.setup) {
    client.setQueryData(statusQuery.queryKey, kept, { updatedAt: 0 });
    return kept;
  }
  return client.fetchQuery({ ...statusQuery, staleTime: 0 });
}

const defaultDisplay: QuotaDisplay = { inCurrency: true, perUnit: 500_000 };

/** The status; undefined until the first answer. */
export const useStatus = (): Status | undefined => useQuery(statusQuery).data;

/** True if this is a demo site for the user: changes are not stored (docs/compatibility.md#modes). */
export function useDemo(): boolean {
  const status = useStatus();
  const user = useCurrentUser();
  if (!status?.demo_site_enabled) return false;
  return status.demo_binds_root || (user?.role ?? role.guest) < role.root;
}

/** Display of quota amounts on this site. */
export function useQuotaDisplay(): QuotaDisplay {
  const status = useStatus();
  return status ? { inCurrency: status.display_in_currency, perUnit: status.quota_per_unit } : defaultDisplay;
}

import { attentionApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../lib/api/api-client.ts';

const staleMs = 5 * 60_000;

/** Offered models without a price, settings that block people, and the number of retries; only root may ask. */
export const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: ({ signal }) => call(attentionApi.get, {}, { signal }),
  staleTime: staleMs,
  meta: { quiet: true },
});

import { secondFactorApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** The second factors of the account. Its name begins like those of all queries about oneself. */
export const factorQuery = queryOptions({
  queryKey: ['self', 'factors'],
  queryFn: ({ signal }) => call(secondFactorApi.status, {}, { signal }),
});

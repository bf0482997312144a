import { secondFactorApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** The second factors of the account. Its key has the prefix of all queries about the user. */
export const factorQuery = queryOptions({
  queryKey: ['self', 'factors'],
  queryFn: ({ signal }) => call(secondFactorApi.status, {}, { signal }),
});

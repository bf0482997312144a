import { pricesApi, type PriceTables } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** The current price tables, and the models of channels; for administrators. */
export const pricesQuery = queryOptions({
  queryKey: ['price-tables'],
  queryFn: async ({ signal }) => {
    const { tables, ...rest } = await call(pricesApi.list, {}, { signal });
    return { ...rest, tables: tables as PriceTables };
  },
});

import { modelMonthApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';

/** Whose month. */
export type MonthOf = 'own' | 'site';

/** What this month would have cost with a model. */
export const monthQuery = (model: string, of: MonthOf) =>
  queryOptions({
    queryKey: ['model-month', of, model],
    queryFn: ({ signal }) => call(modelMonthApi[of], { model }, { signal }),
    staleTime: 60_000,
    retry: false,
  });

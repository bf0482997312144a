import { modelMonthApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';

/** Scope of the month. */
export type MonthOf = 'own' | 'site';

/** Cost of this month with a model. */
export const monthQuery = (model: string, of: MonthOf) =>
  queryOptions({
    queryKey: ['model-month', of, model],
    queryFn: ({ signal }) => call(modelMonthApi[of], { model }, { signal }),
    staleTime: 60_000,
    retry: false,
  });

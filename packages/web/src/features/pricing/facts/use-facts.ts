import { queryOptions, useQuery } from '@tanstack/react-query';
import type { FindFacts } from './index.ts';

const factsQuery = queryOptions({
  queryKey: ['model-facts'],
  queryFn: async () => (await import('./index.ts')).openFacts(),
  staleTime: Infinity,
});

/** What vendors say of models; undefined until it has come, which is after the prices. */
export const useFacts = (): FindFacts | undefined => useQuery(factsQuery).data;

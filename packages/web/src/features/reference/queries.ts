import { referenceApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import type { Language } from '../../lib/i18n.ts';
import { readReference, type ReferenceDocument } from './read-reference.ts';

/** The reference in a language, as the page shows it. It changes with the server's version alone. */
export const referenceQuery = (language: Language) =>
  queryOptions({
    queryKey: ['reference', language],
    queryFn: async ({ signal }) =>
      readReference((await call(referenceApi.read, {}, { signal })) as ReferenceDocument),
    staleTime: Infinity,
  });

import { optionApi } from '@tollgate/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { syncQuery } from '../base/queries.ts';

/** Saves one option of the lists, and compares again. */
export function useListOption() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (option: { key: string; value: string }) => call(optionApi.update, option),
    onSuccess: () => client.resetQueries({ queryKey: syncQuery.queryKey }),
  });
}

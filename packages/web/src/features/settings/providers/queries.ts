import { type CallOf, signInProviderApi } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { statusQuery } from '../../../lib/api/status.ts';

export const providersQuery = queryOptions({
  queryKey: ['sign-in-providers'],
  queryFn: ({ signal }) => call(signInProviderApi.list, {}, { signal }),
});

/** A change of the providers: the list is refetched, and the status, which contains the buttons. */
function useProviderChange<Input>(run: (input: Input) => Promise<null>, quiet = false) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: providersQuery.queryKey }),
        client.invalidateQueries({ queryKey: statusQuery.queryKey }),
      ]),
    meta: { quiet },
  });
}

/** The form shows errors. */
export const useCreateProvider = () =>
  useProviderChange(
    (input: CallOf<typeof signInProviderApi.create>) => call(signInProviderApi.create, input),
    true,
  );

export const useUpdateProvider = (quiet: boolean) =>
  useProviderChange(
    (input: CallOf<typeof signInProviderApi.update>) => call(signInProviderApi.update, input),
    quiet,
  );

export const useRemoveProvider = () =>
  useProviderChange((input: CallOf<typeof signInProviderApi.remove>) =>
    call(signInProviderApi.remove, input),
  );

export const useTestProvider = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof signInProviderApi.discover>) => call(signInProviderApi.discover, input),
    meta: { quiet: true },
  });

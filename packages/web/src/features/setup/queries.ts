import { authApi, setupApi, type CallOf } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { beginSession } from '../../lib/session.ts';
import { statusQuery } from '../../lib/api/status.ts';

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call(setupApi.get, {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export type SetupCall = CallOf<typeof setupApi.create>;

/** Rehearses an import from another gateway; the answer has its report. */
export const useRehearseImport = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof setupApi.rehearse>) => call(setupApi.rehearse, input),
    meta: { quiet: true },
  });

/**
 * Sets up the site and logs the new administrator in, so that the last step can make a call at once. Returns the key of
 * the sandbox token as clients send it, or null without a sandbox.
 */
export function useSetUp() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (input: SetupCall) => {
      const made = await call(setupApi.create, input);
      const { username = '', password = '' } = input;
      // An administrator of an older installation keeps their password and logs in by hand.
      const outcome = username === '' ? undefined : await call(authApi.login, { username, password });
      if (outcome && 'id' in outcome) beginSession(outcome);
      return made === null ? null : `sk-${made.key}`;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: statusQuery.queryKey }),
    meta: { quiet: true },
  });
}

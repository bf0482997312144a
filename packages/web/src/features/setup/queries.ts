import { authApi, selfApi, setupApi, tokenApi, type CallOf } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';
import { beginSession } from '../../lib/session.ts';
import { statusQuery } from '../../lib/status.ts';

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call(setupApi.get, {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export type SetupCall = CallOf<typeof setupApi.create>;

/** Sets the site up and logs the new administrator in, so that the last step can make a call at once. */
export function useSetUp() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (input: SetupCall) => {
      await call(setupApi.create, input);
      const { username = '', password = '' } = input;
      // An administrator of an older installation keeps his password: he logs in himself.
      if (username !== '') beginSession(await call(authApi.login, { username, password }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: statusQuery.queryKey }),
    meta: { quiet: true },
  });
}

/** The key of the newest token and the models it may call. */
export const firstCallQuery = queryOptions({
  queryKey: ['setup', 'first-call'],
  queryFn: async ({ signal }) => {
    const [tokens, models] = await Promise.all([
      call(tokenApi.list, { p: 0, size: 1 }, { signal }),
      call(selfApi.models, {}, { signal }),
    ]);
    const token = tokens[0];
    if (!token) return null;
    const { key } = await call(tokenApi.get, { id: token.id }, { signal });
    return { key: `sk-${key}`, models };
  },
});

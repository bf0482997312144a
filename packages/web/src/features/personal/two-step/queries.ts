import { passkeyApi, secondFactorApi } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { createPasskey } from '../../../shared/passkey.ts';
import { selfQuery } from '../../../shared/self.ts';

export const passkeysQuery = queryOptions({
  queryKey: [...selfQuery.queryKey, 'passkeys'],
  queryFn: ({ signal }) => call(passkeyApi.list, {}, { signal }),
});

/** A change of the user's factors; errors are shown as a toast unless a form shows them. */
function useFactorMutation<Input, Result>(run: (input: Input) => Promise<Result>, quiet = false) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    // Prefix of all query keys about the user.
    onSuccess: () => client.invalidateQueries({ queryKey: selfQuery.queryKey }),
    meta: { quiet },
  });
}

export const useSetUp = () => useFactorMutation(() => call(secondFactorApi.setUp, {}));
export const useEnable = () =>
  useFactorMutation((code: string) => call(secondFactorApi.enable, { code }), true);
export const useDisable = () => useFactorMutation(() => call(secondFactorApi.disable, {}));
export const useRenewCodes = () => useFactorMutation(() => call(secondFactorApi.renewCodes, {}));

/** Creates a passkey on a device and stores it under a name; returns recovery codes with the first factor. */
export const useAddPasskey = () =>
  useFactorMutation(
    async (name: string) =>
      call(passkeyApi.finishRegistration, {
        ...(await createPasskey(await call(passkeyApi.beginRegistration, {}))),
        name,
      }),
    true,
  );
export const useRenamePasskey = () =>
  useFactorMutation((input: { id: number; name: string }) => call(passkeyApi.rename, input), true);
export const useRemovePasskey = () => useFactorMutation((id: number) => call(passkeyApi.remove, { id }));

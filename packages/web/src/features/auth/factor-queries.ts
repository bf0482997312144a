import { passkeyApi, secondFactorApi } from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { getPasskey } from '../../shared/passkey.ts';
import { remember } from './queries.ts';

/** The second step, with a code of the app or a recovery code. */
export const useCodeStep = () =>
  useMutation({
    mutationFn: (code: string) => call(secondFactorApi.finishSignIn, { code }),
    onSuccess: remember,
    meta: { quiet: true },
  });

/** Signs in with a passkey, as the only step or as the second one. */
export const usePasskey = (isSecondStep: boolean) =>
  useMutation({
    mutationFn: async () => {
      const step = { second_step: isSecondStep };
      const shown = await getPasskey(await call(passkeyApi.beginSignIn, step));
      return call(passkeyApi.finishSignIn, { ...shown, ...step });
    },
    onSuccess: remember,
    meta: { quiet: true },
  });

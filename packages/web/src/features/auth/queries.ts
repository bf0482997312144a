import {
  authApi,
  type CallOf,
  emailApi,
  oauthApi,
  passkeyApi,
  secondFactorApi,
  type SignInOutcome,
} from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { call, callFull } from '../../lib/api/api-client.ts';
import { beginSession } from '../../lib/session.ts';
import { showPasskey } from '../../shared/passkey/passkey.ts';

/** Remembers who signed in; a second step that is still to come signs nobody in. */
const remember = (outcome: SignInOutcome | null): void => {
  if (outcome && !('require_2fa' in outcome)) beginSession(outcome);
};

/** Logs in and remembers the person. The error is shown in the form. */
export const useLogin = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof authApi.login>) => call(authApi.login, input),
    onSuccess: remember,
    meta: { quiet: true },
  });

/** The second step, by a code of the app or a recovery code. */
export const useCodeStep = () =>
  useMutation({
    mutationFn: (code: string) => call(secondFactorApi.finishSignIn, { code }),
    onSuccess: remember,
    meta: { quiet: true },
  });

/** Signs in with a passkey: alone, or as the second step. */
export const usePasskey = (isSecondStep: boolean) =>
  useMutation({
    mutationFn: async () => {
      const step = { second_step: isSecondStep };
      const shown = await showPasskey(await call(passkeyApi.beginSignIn, step));
      return call(passkeyApi.finishSignIn, { ...shown, ...step });
    },
    onSuccess: remember,
    meta: { quiet: true },
  });

export const useRegister = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof authApi.register>) => call(authApi.register, input),
    meta: { quiet: true },
  });

export const useAskReset = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof emailApi.askReset>) => call(emailApi.askReset, input),
    meta: { quiet: true },
  });

/** Answers the new password. */
export const useReset = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof emailApi.reset>) => call(emailApi.reset, input),
    meta: { quiet: true },
  });

/** Opens the page of another site in place of this one. */
export const useStartSignIn = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof oauthApi.start>) => call(oauthApi.start, input),
    onSuccess: (page) => window.location.assign(page),
    meta: { quiet: true },
  });

/** Ends a way through another site; somebody who signed in is remembered. */
export const useFinishSignIn = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof oauthApi.callback>) => callFull(oauthApi.callback, input),
    onSuccess: ({ data }) => remember(data),
    meta: { quiet: true },
  });

export const useWechat = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof oauthApi.wechat>) => call(oauthApi.wechat, input),
    onSuccess: remember,
    meta: { quiet: true },
  });

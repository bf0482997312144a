import { authApi, type CallOf, emailApi, oauthApi, type SignInOutcome } from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { call, callFull } from '../../lib/api/api-client.ts';
import { beginSession } from '../../lib/session.ts';

/** Stores the signed-in user; a pending second step stores no user. */
export const remember = (outcome: SignInOutcome | null): void => {
  if (outcome && !('require_2fa' in outcome)) beginSession(outcome);
};

/** Logs in and stores the user. The form shows the error. */
export const useLogin = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof authApi.login>) => call(authApi.login, input),
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

/** Returns the new password. */
export const useReset = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof emailApi.reset>) => call(emailApi.reset, input),
    meta: { quiet: true },
  });

/** Opens the page of another site in this window. */
export const useStartSignIn = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof oauthApi.start>) => call(oauthApi.start, input),
    onSuccess: (page) => window.location.assign(page),
    meta: { quiet: true },
  });

/** Completes a sign-in through another site and stores the user. */
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

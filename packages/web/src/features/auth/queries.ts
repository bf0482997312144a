import { authApi, type CallOf, emailApi } from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { beginSession } from '../../lib/session.ts';

/** Logs in and remembers the person. The error is shown in the form. */
export const useLogin = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof authApi.login>) => call(authApi.login, input),
    onSuccess: (user) => beginSession(user),
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

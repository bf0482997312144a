import { type CallOf, emailApi } from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** Sends a code to an address. */
export const useSendCode = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof emailApi.sendCode>) => call(emailApi.sendCode, input),
    meta: { quiet: true },
  });

import { authApi, emailApi, oauthApi, selfApi, type CallOf, type UserData } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { beginSession, currentUser } from '../../../lib/session.ts';
import { selfQuery } from '../../../shared/self.ts';

/** The invitation code, created by the first request. */
export const affQuery = queryOptions({
  queryKey: ['self', 'aff'],
  queryFn: ({ signal }) => call(selfApi.aff, {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const sessionsQuery = queryOptions({
  queryKey: ['self', 'sessions'],
  queryFn: ({ signal }) => call(authApi.sessions, {}, { signal }),
});

interface SelfMutation<Input, Result> {
  run: (input: Input) => Promise<Result>;
  /** Callbacks run at once on success: the new data may replace the form that sent the change. */
  onDone: () => void;
  /** The form shows errors, or a toast without a form. */
  quiet?: boolean;
}

/** A change of the user's own account. */
function useSelfMutation<Input, Result>({ run, onDone, quiet = true }: SelfMutation<Input, Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () => {
      onDone();
      // Prefix of all query keys about the user.
      return client.invalidateQueries({ queryKey: selfQuery.queryKey });
    },
    meta: { quiet },
  });
}

type SelfChange = CallOf<typeof selfApi.update>;

const namesOf = ({
  username,
  display_name,
}: SelfChange): Partial<Pick<UserData, 'username' | 'display_name'>> => ({
  ...(username !== undefined && { username }),
  ...(display_name !== undefined && { display_name }),
});

/** Changes name or password; the name in the corner of the page changes with it. */
export const useUpdateSelf = (onDone: () => void) =>
  useSelfMutation({
    run: async (change: SelfChange) => {
      await call(selfApi.update, change);
      const user = currentUser();
      if (user) beginSession({ ...user, ...namesOf(change) });
    },
    onDone,
  });

/** Sets the user's address to the one that received a code. */
export const useBindEmail = (onDone: () => void) =>
  useSelfMutation({
    run: ({ password, ...binding }: CallOf<typeof emailApi.bind> & { password: string }) =>
      call(emailApi.bind, binding, { password }),
    onDone,
  });

/** Opens the page of another site in this window, to bind an account there. */
export async function startBind(provider: string, password: string): Promise<void> {
  window.location.assign(await call(oauthApi.startBind, { provider }, { password }));
}

/** Binds a WeChat account by the code of the official account. */
export const useBindWechat = (onDone: () => void) =>
  useSelfMutation({
    run: ({ code, password }: { code: string; password: string }) =>
      call(oauthApi.wechatBind, { code }, { password }),
    onDone,
  });

/** Removes the binding of another site. */
export const useUnbind = (onDone: () => void) =>
  useSelfMutation({
    run: ({ provider, password }: { provider: string; password: string }) =>
      call(oauthApi.unbind, { provider }, { password }),
    onDone,
  });

/** Moves invitation reward, in quota units, to the balance. */
export const useTransfer = (onDone: () => void) =>
  useSelfMutation({ run: (quota: number) => call(selfApi.affTransfer, { quota }), onDone });

export const useSaveSetting = (onDone: () => void, quiet: boolean) =>
  useSelfMutation({
    run: (setting: CallOf<typeof selfApi.setting>) => call(selfApi.setting, setting),
    onDone,
    quiet,
  });

/** Ends sessions one after another. */
export const useEndSessions = (onDone: () => void) =>
  useSelfMutation({
    run: async (ids: readonly string[]) => {
      for (const session of ids) await call(authApi.endSession, { session });
    },
    onDone,
    quiet: false,
  });

export const accessTokensQuery = queryOptions({
  queryKey: ['self', 'access-tokens'],
  queryFn: ({ signal }) => call(selfApi.accessTokens, {}, { signal }),
});

/** Creates an access token and returns it. */
export const useMakeAccessToken = () =>
  useSelfMutation({
    run: ({ made, password }: { made: CallOf<typeof selfApi.createAccessToken>; password: string }) =>
      call(selfApi.createAccessToken, made, { password }),
    onDone: () => {},
  });

export const useEndAccessToken = (onDone: () => void) =>
  useSelfMutation({ run: (id: number) => call(selfApi.endAccessToken, { id }), onDone, quiet: false });

export const deleteSelf = (password: string): Promise<null> => call(selfApi.remove, {}, { password });

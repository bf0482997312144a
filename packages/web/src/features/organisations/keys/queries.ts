import { teamTokenApi, tokenStatus, type TeamTokenData } from '@tollgate/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import type { TokenCall } from '../../../shared/keys/key-form.ts';
import { teamRoot, useTeamMutation } from '../base/queries.ts';

/** A page of the keys that the user may see; pages count from 1. */
export const keysQuery = (
  id: number,
  { page, pageSize, sort }: { page: number; pageSize: number; sort: string },
) =>
  queryOptions({
    queryKey: [...teamRoot(id), 'keys', page, pageSize, sort],
    queryFn: ({ signal }) => call(teamTokenApi.list, { id, p: page - 1, size: pageSize, sort }, { signal }),
    placeholderData: keepPreviousData,
  });

/** One key, with its full text for its creator. */
export const keyQuery = (id: number, token: number) =>
  queryOptions({
    queryKey: [...teamRoot(id), 'key', token],
    queryFn: ({ signal }) => call(teamTokenApi.get, { id, token }, { signal }),
    enabled: token > 0,
  });

/** The models that keys of the organisation may call. */
export const keyModelsQuery = (id: number) =>
  queryOptions({
    queryKey: [...teamRoot(id), 'models'],
    queryFn: ({ signal }) => call(teamTokenApi.models, { id }, { signal }),
  });

/** The groups that its keys may have, with their ratios. */
export const keyGroupsQuery = (id: number) =>
  queryOptions({
    queryKey: [...teamRoot(id), 'groups'],
    queryFn: ({ signal }) => call(teamTokenApi.groups, { id }, { signal }),
  });

/** Creates keys one after another and returns them; on a failure the earlier keys stay and are listed. */
export const useCreateKeys = (id: number) =>
  useTeamMutation(
    async (inputs: readonly TokenCall[]) => {
      const created: TeamTokenData[] = [];
      for (const input of inputs) created.push(await call(teamTokenApi.create, { ...input, id }));
      return created;
    },
    { quiet: true },
  );

export const useUpdateKey = (id: number) =>
  useTeamMutation(
    ({ token, changes }: { token: number; changes: Partial<TokenCall> }) =>
      call(teamTokenApi.update, { ...changes, id, token }),
    { quiet: true },
  );

/** Enables or disables; no other field is written. */
export const useSwitchKey = (id: number) =>
  useTeamMutation(({ token, enable }: { token: number; enable: boolean }) =>
    call(teamTokenApi.update, {
      id,
      token,
      status: enable ? tokenStatus.enabled : tokenStatus.disabled,
      status_only: true,
    }),
  );

export const useRemoveKey = (id: number) =>
  useTeamMutation((token: number) => call(teamTokenApi.remove, { id, token }));

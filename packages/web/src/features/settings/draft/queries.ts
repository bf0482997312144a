import { isSettingKey, optionApi, type SettingKey } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, callFull } from '../../../lib/api/api-client.ts';
import { statusQuery } from '../../../lib/api/status.ts';
import { attentionQuery } from '../../../shared/attention.ts';

/** Texts by key, as the server stores them. */
type SettingTexts = Readonly<Partial<Record<SettingKey, string>>>;

export interface StoredSettings {
  texts: SettingTexts;
  /** Hidden settings that are filled in. */
  secretsSet: ReadonlySet<string>;
}

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async ({ signal }): Promise<StoredSettings> => {
    const { data, extra } = await callFull(optionApi.list, {}, { signal });
    const known = data.filter(({ key }) => isSettingKey(key));
    return {
      texts: Object.fromEntries(known.map(({ key, value }) => [key, value])),
      secretsSet: new Set(extra.secrets_set),
    };
  },
});

/** Result of a save: the stored keys, and the first refusal. */
export interface SaveResult {
  saved: SettingKey[];
  problem: unknown;
}

type Change = readonly [SettingKey, string];

const isSwitch = ([key]: Change): boolean => /enabled$/i.test(key);

/**
 * Saves changed settings: switches first, one after another, then all others at once. Some switches are refused until the
 * settings they need are stored; these are retried at the end.
 */
async function saveAll(changes: readonly Change[]): Promise<SaveResult> {
  const result: SaveResult = { saved: [], problem: null };
  /** Stores one setting, or returns the refusal. */
  const save = async ([key, value]: Change): Promise<unknown> => {
    try {
      await call(optionApi.update, { key, value });
      result.saved.push(key);
      return null;
    } catch (error) {
      return error;
    }
  };
  const refused: { change: Change; problem: unknown }[] = [];
  for (const change of changes.filter(isSwitch)) {
    const problem = await save(change);
    if (problem) refused.push({ change, problem });
  }
  const others = changes.filter((change) => !isSwitch(change));
  for (const problem of await Promise.all(others.map(save))) result.problem ??= problem;
  for (const { change, problem } of refused) {
    const still = others.length > 0 ? await save(change) : problem;
    result.problem ??= still;
  }
  return result;
}

export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: saveAll,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: settingsQuery.queryKey }),
        // Names, switches and units of the status derive from these settings.
        client.invalidateQueries({ queryKey: statusQuery.queryKey }),
        client.invalidateQueries({ queryKey: attentionQuery.queryKey }),
      ]),
  });
}

export function useResetRatios() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(optionApi.resetModelRatio, {}),
    onSuccess: () => client.invalidateQueries({ queryKey: settingsQuery.queryKey }),
  });
}

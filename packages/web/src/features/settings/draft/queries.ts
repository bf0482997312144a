import { isSettingKey, optionApi, type SettingKey } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, callFull } from '../../../lib/api/api-client.ts';
import { statusQuery } from '../../../lib/api/status.ts';

/** Texts by key, as the server stores them. */
export type SettingTexts = Readonly<Partial<Record<SettingKey, string>>>;

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

/** What came of a save: the keys that were stored, and the first refusal. */
export interface SaveResult {
  saved: SettingKey[];
  problem: unknown;
}

/**
 * Saves changed settings: switches first, one after another, because some refuse to be on before others are filled in;
 * then the rest at once.
 */
async function saveAll(changes: readonly (readonly [SettingKey, string])[]): Promise<SaveResult> {
  const result: SaveResult = { saved: [], problem: null };
  const save = async ([key, value]: readonly [SettingKey, string]) => {
    try {
      await call(optionApi.update, { key, value });
      result.saved.push(key);
    } catch (error) {
      result.problem ??= error;
    }
  };
  const isSwitch = ([key]: readonly [SettingKey, string]) => /enabled$/i.test(key);
  for (const change of changes.filter(isSwitch)) await save(change);
  await Promise.all(changes.filter((change) => !isSwitch(change)).map(save));
  return result;
}

export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: saveAll,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: settingsQuery.queryKey }),
        // Names, switches and units of the status come from here.
        client.invalidateQueries({ queryKey: statusQuery.queryKey }),
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

import { type PricingItem, pricingApi } from '@tollgate/contract';
import { useQuery, queryOptions } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import type { StoredUser } from '../../../lib/storage.ts';
import { textParam } from '../../../shared/url-state/params.ts';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { selfGroupsQuery, selfModelsQuery } from '../../../shared/self.ts';
import { groupFor, groupNames, modelChoices, pickModel, type ModelChoice } from './catalogue.ts';
import type { Choice } from '../conversation/chat.ts';
import { settingsOf } from '../conversation/keep.ts';
import { panelText } from '../base/text.ts';
import type { Settings } from '../base/types.ts';
import { call } from '../../../lib/api/api-client.ts';

/** Prices of models and the groups that offer them. */
const pricesQuery = queryOptions({
  queryKey: ['playground', 'prices'],
  queryFn: ({ signal }) => call(pricingApi.list, {}, { signal }),
  staleTime: 60_000,
});

/** Other pages open the playground with a model: `/playground?model=…`. */
const search = { model: textParam() };

/** The options of the side panel and the current choice. */
export interface Offer {
  choice: Choice;
  models: readonly ModelChoice[] | undefined;
  groups: readonly { name: string; desc: string; ratio: number }[];
  /** The item of the chosen model. */
  price: PricingItem | undefined;
  groupRatio: number;
  error: Error | null;
  retry: () => void;
  change: (change: Partial<Settings>) => void;
}

/** Combines the user's stored choice with the site's offers. */
export function useChoice(user: StoredUser): Offer {
  const t = useTranslate();
  const store = settingsOf(user.id);
  const settings = store.use();
  const [{ model: asked }, setSearch] = useUrlState(search);
  const modelNames = useQuery(selfModelsQuery);
  const groups = useQuery(selfGroupsQuery);
  const prices = useQuery(pricesQuery);

  const names = useMemo(() => groupNames(groups.data ?? {}, user.group), [groups.data, user.group]);
  const wanted = asked || settings.model;
  const chosenGroup = names.includes(settings.group) ? settings.group : (names[0] ?? user.group);
  const askedPrice = prices.data?.find((item) => item.model_name === asked);
  const group = asked ? groupFor(askedPrice, chosenGroup, names) : chosenGroup;
  const models = useMemo(
    () => modelNames.data && prices.data && modelChoices(modelNames.data, prices.data, group),
    [modelNames.data, prices.data, group],
  );
  const model = models ? pickModel(models, wanted) : '';
  const ratioOf = (name: string) => groups.data?.[name]?.ratio ?? 1;

  return {
    choice: {
      model,
      group,
      temperature: settings.temperature,
      maxTokens: settings.maxTokens,
      system: settings.system ?? t(panelText.systemDefault),
    },
    models,
    groups: names.map((name) => ({ name, desc: groups.data?.[name]?.desc ?? '', ratio: ratioOf(name) })),
    price: models?.find(({ name }) => name === model)?.price,
    groupRatio: ratioOf(group),
    error: modelNames.error ?? groups.error ?? prices.error,
    retry: () => {
      for (const query of [modelNames, groups, prices]) if (query.error) void query.refetch();
    },
    change: (change) => {
      // The model in the address becomes an ordinary choice as soon as another choice is made.
      store.set({ ...settings, ...(asked !== '' && { model, group }), ...change });
      if (asked !== '') setSearch({ model: '' }, { replace: true });
    },
  };
}

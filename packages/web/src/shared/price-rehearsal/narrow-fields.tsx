import { MultiSelect, SimpleGrid } from '@mantine/core';
import { pricingApi, userApi } from '@tollgate/contract';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { groupsQuery } from '../group-tag/groups-query.ts';
import { NamesInput } from '../names-input.tsx';
import { SearchSelect } from '../search-select/search-select.tsx';
import type { Scope } from './scope.ts';
import { text } from './text.ts';

interface NarrowFieldsProps {
  value: Scope;
  disabled: boolean;
  onChange: (value: Scope) => void;
}

/** Filters of the repriced charges: models, groups and a user; empty fields do not filter. */
export function NarrowFields({ value, disabled, onChange }: NarrowFieldsProps) {
  const t = useTranslate();
  const { data: groups = [] } = useQuery(groupsQuery);
  const { data: served = [] } = useQuery({
    queryKey: ['rehearsal', 'models'],
    queryFn: async ({ signal }) =>
      (await call(pricingApi.list, {}, { signal })).map(({ model_name: name }) => name),
  });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <NamesInput
        exists={t(text.modelChosen)}
        label={t(text.onlyModels)}
        placeholder={value.models.length === 0 ? t(text.all) : undefined}
        data={served}
        limit={200}
        clearable
        disabled={disabled}
        value={[...value.models]}
        onChange={(models) => onChange({ ...value, models })}
      />
      <MultiSelect
        label={t(text.onlyGroups)}
        placeholder={value.groups.length === 0 ? t(text.all) : undefined}
        data={groups}
        clearable
        disabled={disabled}
        value={[...value.groups]}
        onChange={(chosen) => onChange({ ...value, groups: chosen })}
      />
      <PersonField value={value.user} disabled={disabled} onChange={(user) => onChange({ ...value, user })} />
    </SimpleGrid>
  );
}

interface PersonFieldProps {
  /** 0 for all users. */
  value: number;
  disabled: boolean;
  onChange: (user: number) => void;
}

/** One user, searched by name. */
function PersonField({ value, disabled, onChange }: PersonFieldProps) {
  const t = useTranslate();
  const [keyword, setKeyword] = useState('');
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  const wanted = keyword.trim() === chosen?.label ? '' : keyword.trim();
  const { data: found = [] } = useQuery({
    queryKey: ['rehearsal', 'users', wanted],
    queryFn:
      wanted === ''
        ? skipToken
        : async ({ signal }) => {
            const page = await call(userApi.search, { keyword: wanted, p: 1, page_size: 10 }, { signal });
            return page.items.map(({ id, username }) => ({ value: String(id), label: username }));
          },
    placeholderData: keepPreviousData,
  });
  const isKnown = chosen !== null && !found.some((each) => each.value === chosen.value);
  const data = isKnown ? [chosen, ...found] : found;
  return (
    <SearchSelect
      label={t(text.onlyPerson)}
      placeholder={t(text.everybody)}
      data={data}
      clearable
      disabled={disabled}
      value={value === 0 ? null : String(value)}
      // The server's search also matches other fields than the name.
      filter={({ options }) => options}
      onSearchChange={setKeyword}
      onChange={(id) => {
        setChosen(data.find((each) => each.value === id) ?? null);
        onChange(Number(id ?? 0));
      }}
    />
  );
}

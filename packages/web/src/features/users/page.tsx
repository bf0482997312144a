import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, Users } from 'lucide-react';
import { useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { ChoiceField } from '../../shared/filter-bar/choice-field.tsx';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { openLazyDialog } from '../../shared/dialog/open-lazy-dialog.ts';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { userColumns } from './list/columns.tsx';
import { formText } from './drawer/form-text.ts';
import { isSearch, userQuery, usersQuery } from './base/queries.ts';
import { groupsQuery } from '../../shared/group-tag/groups-query.ts';
import { userSearch } from './base/search.ts';
import { text } from './base/text.ts';

const CreateDrawer = lazy(async () => ({
  default: (await import('./drawer/create-drawer.tsx')).CreateDrawer,
}));
const EditDrawer = lazy(async () => ({ default: (await import('./drawer/edit-drawer.tsx')).EditDrawer }));
const LoadErrorDrawer = lazy(async () => ({
  default: (await import('../../shared/state/load-error-drawer.tsx')).LoadErrorDrawer,
}));

export function Page() {
  const t = useTranslate();
  const [{ p, keyword, group, sort }, setSearch] = useUrlState(userSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const users = useQuery(usersQuery({ page: p, pageSize: paging.pageSize, keyword, group, sort }));
  const openDefaults = () =>
    void openLazyDialog({
      title: t(text.newBudgets),
      body: async () => {
        const { Budgets } = await import('../../shared/budgets/budgets.tsx');
        return <Budgets scope={{ for_each: 'user' }} mayAdd />;
      },
    });
  const add = (
    <Group gap="xs">
      <Button variant="default" onClick={openDefaults}>
        {t(text.newBudgets)}
      </Button>
      <Button leftSection={<Plus size={16} />} onClick={() => setSearch({ edit: 'new' })}>
        {t(text.add)}
      </Button>
    </Group>
  );
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} actions={add} />
      <Panel flush>
        <DataTable
          name="users"
          label={t(text.title)}
          columns={userColumns}
          rowId={(user) => String(user.id)}
          query={{ ...users, data: users.data?.items }}
          sorting={{ value: sort, onChange: (next) => setSearch({ sort: next, p: 1 }) }}
          faded={(user) => user.DeletedAt !== null}
          empty={
            <EmptyState
              icon={<Users size={20} />}
              title={t(isSearch({ keyword, group }) ? text.nothingFound : text.emptyTitle)}
            />
          }
          toolbar={<Filters />}
          paging={{ ...paging, total: users.data?.total ?? 0 }}
        />
      </Panel>
      <Drawers />
    </>
  );
}

function Filters() {
  const t = useTranslate();
  const [{ keyword, group }, setSearch] = useUrlState(userSearch);
  const { data: groups = [] } = useQuery(groupsQuery);
  const names = group === '' || groups.includes(group) ? groups : [...groups, group];
  return (
    <FilterBar
      first={
        <SearchField
          label={t(text.search)}
          value={keyword}
          width={260}
          onChange={(value) => setSearch({ keyword: value, p: 1 }, { typed: true })}
        />
      }
      usual={
        <ChoiceField
          aria-label={t(text.group)}
          w={160}
          data={[
            { value: '', label: t(text.allGroups) },
            ...names.map((name) => ({ value: name, label: name })),
          ]}
          value={group}
          onChange={(value) => setSearch({ group: value, p: 1 })}
        />
      }
    />
  );
}

/** The forms over the list, opened by the address, or the reason why a user cannot be shown. */
function Drawers() {
  const t = useTranslate();
  const [{ edit }, setSearch] = useUrlState(userSearch);
  const id = /^\d+$/.test(edit) ? Number(edit) : 0;
  const { data, error, refetch } = useQuery(userQuery(id));
  const user = id > 0 ? data : undefined;
  // The form closes with its content unchanged.
  const [shown, setShown] = useState(user);
  if (user && user !== shown) setShown(user);
  const problem = id > 0 && data === undefined ? error : null;
  const close = () => setSearch({ edit: '' });
  return (
    <>
      <LazyMount when={edit === 'new'}>
        <CreateDrawer opened={edit === 'new'} onClose={close} />
      </LazyMount>
      <LazyMount when={user !== undefined}>
        {shown && <EditDrawer opened={user !== undefined} user={shown} onClose={close} />}
      </LazyMount>
      <LazyMount when={problem !== null}>
        <LoadErrorDrawer title={t(formText.editUnknown)} error={problem} onRetry={refetch} onClose={close} />
      </LazyMount>
    </>
  );
}

import { Button } from '@mantine/core';
import { channelStatus } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Network, Plus } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { stored } from '../../lib/storage.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { ChoiceField } from '../../shared/filter-bar/choice-field.tsx';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { AllMenu, TestProgress } from './list/all-menu.tsx';
import { BatchBar } from './list/batch-bar.tsx';
import { channelColumns } from './list/columns.tsx';
import classes from './list/columns.module.css';
import { RetryHint } from './list/retry-hint.tsx';
import { channelQuery, channelsQuery, isSearch } from './base/queries.ts';
import { groupsQuery } from '../../shared/group-tag/groups-query.ts';
import { channelRows, innerRows, isEnabled, tagRows, type ChannelRow } from './base/rows.ts';
import { channelSearch } from './base/search.ts';
import { text } from './base/text.ts';

const ChannelDrawer = lazy(async () => ({
  default: (await import('./drawer/channel-drawer.tsx')).ChannelDrawer,
}));
const TestDialog = lazy(async () => ({
  default: (await import('./test-dialog/test-dialog.tsx')).TestDialog,
}));
const LoadErrorDrawer = lazy(async () => ({
  default: (await import('../../shared/state/load-error-drawer.tsx')).LoadErrorDrawer,
}));
const RouteDrawer = lazy(async () => ({ default: (await import('./drawer/route-drawer.tsx')).RouteDrawer }));
const TagDrawer = lazy(async () => ({ default: (await import('./drawer/tag-drawer.tsx')).TagDrawer }));

const nothing: ReadonlySet<string> = new Set();

export function Page() {
  const t = useTranslate();
  const [, setSearch] = useUrlState(channelSearch);
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={() => setSearch({ edit: 'new' })}>
      {t(text.add)}
    </Button>
  );
  return (
    <>
      <PageHead
        title={t(text.title)}
        hint={t(text.hint)}
        actions={
          <>
            <Button variant="default" onClick={() => setSearch({ why: true })}>
              {t(text.why)}
            </Button>
            <AllMenu />
            {add}
          </>
        }
      />
      <ChannelList add={add} />
      <Drawers />
    </>
  );
}

/** Status parameter of each choice of the filter; 0 for all. */
const statusOf = { ...channelStatus, all: 0, failing: channelStatus.enabled };

/** The channels of the address's filters, as rows; a search returns all matches at once. */
function useChannelList() {
  const [search, setSearch] = useUrlState(channelSearch);
  const { p: page, keyword, group, model, tags: tagMode, sort } = search;
  const failing = search.status === 'failing';
  const status = statusOf[search.status];
  const idSort = stored.idSort.use();
  const pages = usePaging(page, (next) => setSearch({ p: next }));
  const filter = {
    page,
    pageSize: pages.pageSize,
    keyword,
    group,
    model,
    status,
    failing,
    tagMode,
    idSort,
    sort,
  };
  const list = useQuery(channelsQuery(filter));
  const channels = list.data?.channels;
  const rows = useMemo(
    () => channels && (tagMode ? tagRows(channels) : channelRows(channels)),
    [channels, tagMode],
  );
  const paging = { ...pages, total: list.data?.total ?? 0 };
  return { query: { ...list, data: rows }, searching: isSearch(filter), paging };
}

function ChannelList({ add }: { add: ReactNode }) {
  const t = useTranslate();
  const [{ tags: tagMode, sort }, setSearch] = useUrlState(channelSearch);
  const { query, searching, paging } = useChannelList();
  const [ticked, setTicked] = useState(nothing);
  const idSort = stored.idSort.use();
  return (
    <Panel flush>
      <DataTable<ChannelRow>
        name="channels"
        label={t(text.title)}
        columns={channelColumns}
        rowId={(row) => row.id}
        query={query}
        // Tags have their own order.
        sorting={tagMode ? undefined : { value: sort, onChange: (next) => setSearch({ sort: next, p: 1 }) }}
        faded={(row) => row.kind === 'channel' && !isEnabled(row.channel)}
        empty={
          <EmptyState
            icon={<Network size={20} />}
            title={t(searching ? text.nothingFound : tagMode ? text.noTags : text.emptyTitle)}
            hint={searching || tagMode ? undefined : t(text.emptyHint)}
            action={searching ? undefined : add}
          />
        }
        toolbar={ticked.size > 0 ? <BatchBar ids={ticked} onDone={() => setTicked(nothing)} /> : <Filters />}
        options={[
          { label: t(text.tagMode), checked: tagMode, onChange: (tags) => setSearch({ tags, p: 1 }) },
          { label: t(text.idSort), checked: idSort, onChange: (on) => stored.idSort.set(on) },
        ]}
        notice={
          <>
            <RetryHint channels={paging.total} />
            {tagMode && <p className={classes.note}>{t(text.onlyTagged)}</p>}
            <TestProgress />
          </>
        }
        {...(tagMode ? { inner: innerRows } : { selection: { ids: ticked, onChange: setTicked } })}
        {...(searching ? {} : { paging })}
      />
    </Panel>
  );
}

const stateLabels = {
  all: text.allStates,
  enabled: text.enabled,
  failing: text.failing,
  disabled: text.disabled,
  autoDisabled: text.autoDisabled,
};
const states = ['all', 'enabled', 'failing', 'disabled', 'autoDisabled'] as const;

function StateFilter() {
  const t = useTranslate();
  const [{ status }, setSearch] = useUrlState(channelSearch);
  return (
    <ChoiceField
      aria-label={t(text.status)}
      w={140}
      data={states.map((value) => ({ value, label: t(stateLabels[value]) }))}
      value={status}
      onChange={(value) => setSearch({ status: value, p: 1 })}
    />
  );
}

function Filters() {
  const t = useTranslate();
  const [{ keyword, group, model }, setSearch] = useUrlState(channelSearch);
  const { data: groups = [] } = useQuery(groupsQuery);
  const names = group === '' || groups.includes(group) ? groups : [...groups, group];
  return (
    <FilterBar
      first={
        <SearchField
          label={t(text.search)}
          value={keyword}
          width={230}
          onChange={(value) => setSearch({ keyword: value, p: 1 }, { typed: true })}
        />
      }
      usual={
        <>
          <SearchField
            label={t(text.model)}
            value={model}
            width={160}
            icon={false}
            onChange={(value) => setSearch({ model: value, p: 1 }, { typed: true })}
          />
          <ChoiceField
            aria-label={t(text.group)}
            w={140}
            data={[
              { value: '', label: t(text.allGroups) },
              ...names.map((name) => ({ value: name, label: name })),
            ]}
            value={group}
            onChange={(value) => setSearch({ group: value, p: 1 })}
          />
          <StateFilter />
        </>
      }
    />
  );
}

/** Dialogs and drawers over the list; each has its own parameter in the address. */
function Drawers() {
  const t = useTranslate();
  const [{ edit, test, tag, why, model, group }, setSearch] = useUrlState(channelSearch);
  const editId = Number(edit) || 0;
  const testId = Number(test) || 0;
  const edited = useQuery({ ...channelQuery(editId), enabled: editId > 0 });
  const isEdited = edit === 'new' || (editId > 0 && edited.data !== undefined);
  const tested = useQuery({ ...channelQuery(testId), enabled: testId > 0 });
  const problem = editId > 0 && edited.data === undefined ? edited.error : null;
  return (
    <>
      <LazyMount when={isEdited}>
        <ChannelDrawer
          opened={isEdited}
          channel={editId > 0 ? edited.data : undefined}
          onClose={() => setSearch({ edit: '' })}
        />
      </LazyMount>
      <LazyMount when={problem !== null}>
        <LoadErrorDrawer
          title={t(text.edit)}
          error={problem}
          onRetry={edited.refetch}
          onClose={() => setSearch({ edit: '' })}
        />
      </LazyMount>
      <LazyMount when={testId > 0}>
        <TestDialog channel={testId > 0 ? tested.data : undefined} onClose={() => setSearch({ test: '' })} />
      </LazyMount>
      <LazyMount when={why}>
        <RouteDrawer opened={why} model={model} group={group} onClose={() => setSearch({ why: false })} />
      </LazyMount>
      <LazyMount when={tag !== ''}>
        <TagDrawer tag={tag} onClose={() => setSearch({ tag: '' })} />
      </LazyMount>
    </>
  );
}

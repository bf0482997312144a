import { teamStatus } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Building2 } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';
import { useLastShown } from '../../shared/url-state/use-edited.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { allColumns } from './all/columns.tsx';
import { allQuery } from './all/queries.ts';
import { allSearch } from './all/search.ts';
import { allText as text } from './all/text.ts';

const EditDrawer = lazy(async () => ({ default: (await import('./all/edit-drawer.tsx')).EditDrawer }));

/** All organisations of the site, for administrators. */
export function Page() {
  const t = useTranslate();
  const [{ p, keyword, edit }, setSearch] = useUrlState(allSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const teams = useQuery(allQuery(p, paging.pageSize, keyword));
  const edited = teams.data?.items.find((team) => String(team.id) === edit);
  const shown = useLastShown(edited !== undefined, edited);
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} />
      <Panel flush>
        <DataTable
          name="all-organisations"
          label={t(text.title)}
          columns={allColumns}
          rowId={(team) => String(team.id)}
          query={{ ...teams, data: teams.data?.items }}
          faded={(team) => team.status !== teamStatus.enabled}
          empty={
            <EmptyState
              icon={<Building2 size={20} />}
              title={t(keyword === '' ? text.emptyTitle : text.nothingFound)}
            />
          }
          toolbar={
            <FilterBar
              first={
                <SearchField
                  label={t(text.search)}
                  value={keyword}
                  onChange={(value) => setSearch({ keyword: value, p: 1 }, { typed: true })}
                />
              }
            />
          }
          paging={{ ...paging, total: teams.data?.total ?? 0 }}
        />
      </Panel>
      <LazyMount when={edited !== undefined}>
        <EditDrawer opened={edited !== undefined} team={shown} onClose={() => setSearch({ edit: '' })} />
      </LazyMount>
    </>
  );
}

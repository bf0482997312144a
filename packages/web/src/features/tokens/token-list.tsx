import { tokenStatus } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Panel } from '../../ui/panel.tsx';
import { tokenColumns } from './columns.tsx';
import { tokensQuery } from './queries.ts';
import { tokenSearch } from './search.ts';
import { text } from './text.ts';

/** The tokens of the address's filters, and the pager. */
export function useTokenList() {
  const [{ p, keyword, key, sort }, setSearch] = useUrlState(tokenSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const tokens = useQuery(tokensQuery({ page: p, pageSize: paging.pageSize, keyword, key, sort }));
  return { tokens, paging };
}

/** The list; its empty state offers `add`. */
export function TokenList({ add }: { add: ReactNode }) {
  const t = useTranslate();
  const [{ keyword, key, sort }, setSearch] = useUrlState(tokenSearch);
  const { tokens, paging } = useTokenList();
  const isSearch = keyword !== '' || key !== '';
  return (
    <Panel flush>
      <DataTable
        name="tokens"
        label={t(text.title)}
        columns={tokenColumns}
        rowId={(token) => String(token.id)}
        query={tokens}
        sorting={{ value: sort, onChange: (next) => setSearch({ sort: next, p: 1 }) }}
        faded={(token) => token.status !== tokenStatus.enabled}
        empty={
          <EmptyState
            icon={<KeyRound size={20} />}
            title={t(isSearch ? text.nothingFound : text.emptyTitle)}
            hint={isSearch ? undefined : t(text.emptyHint)}
            action={isSearch ? undefined : add}
          />
        }
        toolbar={<Filters />}
        {...(isSearch ? {} : { paging: { ...paging, total: null } })}
      />
    </Panel>
  );
}

function Filters() {
  const t = useTranslate();
  const [{ keyword, key }, setSearch] = useUrlState(tokenSearch);
  return (
    <>
      <SearchField
        label={t(text.searchName)}
        value={keyword}
        onChange={(value) => setSearch({ keyword: value, p: 1 }, { typed: true })}
      />
      <SearchField
        label={t(text.searchKey)}
        value={key}
        width={180}
        onChange={(value) => setSearch({ key: value, p: 1 }, { typed: true })}
      />
    </>
  );
}

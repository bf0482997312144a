import { Button } from '@mantine/core';
import { tokenStatus, type TokenData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useSay } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePageSize } from '../../shared/data-table/use-paging.ts';
import { Hint } from '../../shared/feedback/hint.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { Late } from '../../shared/late/late.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { Blank } from '../../ui/blank.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { AccountFigures } from './account-figures.tsx';
import { tokenColumns } from './columns.tsx';
import { tokensQuery } from './queries.ts';
import { tokenSearch } from './search.ts';
import { text } from './text.ts';

const TokenDrawer = lazy(async () => ({ default: (await import('./token-drawer.tsx')).TokenDrawer }));
const UseDrawer = lazy(async () => ({ default: (await import('./use-drawer.tsx')).UseDrawer }));
const CreatedDialog = lazy(async () => ({ default: (await import('./created-dialog.tsx')).CreatedDialog }));

export function Page() {
  const say = useSay();
  const [{ p, keyword, key, sort, edit, use }, setSearch] = useUrlState(tokenSearch);
  const [pageSize, setPageSize] = usePageSize(() => setSearch({ p: 1 }));
  const tokens = useQuery(tokensQuery({ page: p, pageSize, keyword, key, sort }));
  const [created, setCreated] = useState<readonly TokenData[]>([]);
  const isSearch = keyword !== '' || key !== '';
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={() => setSearch({ edit: 'new' })}>
      {say(text.add)}
    </Button>
  );

  const onCreated = (made: TokenData[]) => {
    const [only] = made;
    setCreated(made);
    setSearch({ edit: '', use: made.length === 1 && only ? only.id : 0 });
  };

  return (
    <>
      <PageHead title={say(text.title)} hint={say(text.hint)} actions={add} />
      <div style={{ display: 'grid', gap: 14 }}>
        <Hint name="tokens" tone="warn">
          {say(text.advice)}
        </Hint>
        <AccountFigures />
        <Panel flush>
          <DataTable
            name="tokens"
            label={say(text.title)}
            columns={tokenColumns}
            rowId={(token) => String(token.id)}
            query={tokens}
            sorting={{ value: sort, onChange: (next) => setSearch({ sort: next, p: 1 }) }}
            faded={(token) => token.status !== tokenStatus.enabled}
            empty={
              <Blank
                icon={<KeyRound size={20} />}
                title={say(isSearch ? text.nothingFound : text.emptyTitle)}
                hint={isSearch ? undefined : say(text.emptyHint)}
                action={isSearch ? undefined : add}
              />
            }
            toolbar={
              <>
                <SearchField
                  label={say(text.searchName)}
                  value={keyword}
                  onChange={(value) => setSearch({ keyword: value, p: 1 }, { replace: true })}
                />
                <SearchField
                  label={say(text.searchKey)}
                  value={key}
                  width={180}
                  onChange={(value) => setSearch({ key: value, p: 1 }, { replace: true })}
                />
              </>
            }
            {...(isSearch
              ? {}
              : {
                  paging: {
                    page: p,
                    pageSize,
                    total: null,
                    onPage: (page) => setSearch({ p: page }),
                    onPageSize: setPageSize,
                  },
                })}
          />
        </Panel>
      </div>
      <Late when={edit !== ''}>
        <TokenDrawer
          opened={edit !== ''}
          token={tokens.data?.find((token) => String(token.id) === edit)}
          onClose={() => setSearch({ edit: '' })}
          onCreated={onCreated}
          onSaved={() => {
            setSearch({ edit: '' });
            toast.good(say(text.saved));
          }}
        />
      </Late>
      <Late when={use > 0}>
        <UseDrawer
          tokenId={use}
          isNew={created.some((token) => token.id === use)}
          onClose={() => setSearch({ use: 0 })}
        />
      </Late>
      <Late when={created.length > 1}>
        <CreatedDialog tokens={created.length > 1 ? created : []} onClose={() => setCreated([])} />
      </Late>
    </>
  );
}

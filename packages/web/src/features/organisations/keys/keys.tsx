import { tokenStatus, type TeamData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import { usePaging } from '../../../shared/data-table/use-paging.ts';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { teamSearch } from '../base/search.ts';
import { keyColumns } from './columns.tsx';
import { KeyDrawers } from './key-drawers.tsx';
import { keysQuery } from './queries.ts';
import { keysText as text } from './text.ts';

/** The keys that the organisation pays for: the user's own, or all for managers. */
export function Keys({ team }: { team: TeamData }) {
  const t = useTranslate();
  const [{ p, sort }, setSearch] = useUrlState(teamSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const keys = useQuery(keysQuery(team.id, { page: p, pageSize: paging.pageSize, sort }));
  const columns = useMemo(() => keyColumns(team), [team]);
  return (
    <Panel title={t(text.title)} hint={t(text.hint)} flush>
      <DataTable
        name="team-keys"
        label={t(text.title)}
        columns={columns}
        rowId={(token) => String(token.id)}
        query={keys}
        sorting={{ value: sort, onChange: (next) => setSearch({ sort: next, p: 1 }) }}
        faded={(token) => token.status !== tokenStatus.enabled}
        empty={
          <EmptyState icon={<KeyRound size={20} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
        }
        bare
        paging={{ ...paging, total: null }}
      />
      <KeyDrawers team={team} keys={keys.data ?? []} />
    </Panel>
  );
}

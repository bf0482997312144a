import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { useSorted } from '../../shared/data-table/use-sorted.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import classes from './base/organisations.module.css';
import { teamsQuery } from './base/queries.ts';
import { isFaded, teamColumns } from './list/columns.tsx';
import { Invited } from './list/invited.tsx';
import { listText } from './list/text.ts';
import { textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the list. */
const listSearch = {
  /** `new` while the form of a new one is open. */
  edit: textParam(),
};

const CreateDrawer = lazy(async () => ({
  default: (await import('./list/create-drawer.tsx')).CreateDrawer,
}));

/** The organisations of the user, and their invitations. */
export function Page() {
  const t = useTranslate();
  const navigate = useNavigate();
  const [{ edit }, setSearch] = useUrlState(listSearch);
  const teams = useQuery(teamsQuery);
  const [order, sorting] = useSorted(teamColumns);
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={() => setSearch({ edit: 'new' })}>
      {t(listText.add)}
    </Button>
  );
  return (
    <>
      <PageHead title={t(listText.title)} hint={t(listText.hint)} actions={add} />
      <div className={classes.stack}>
        <Invited />
        <Panel flush>
          <DataTable
            name="organisations"
            label={t(listText.title)}
            columns={teamColumns}
            rowId={(team) => String(team.id)}
            query={{ ...teams, data: teams.data && order(teams.data) }}
            sorting={sorting}
            faded={isFaded}
            empty={
              <EmptyState
                icon={<Building2 size={20} />}
                title={t(listText.emptyTitle)}
                hint={t(listText.emptyHint)}
                action={add}
              />
            }
            bare
          />
        </Panel>
      </div>
      <LazyMount when={edit === 'new'}>
        <CreateDrawer
          opened={edit === 'new'}
          onCreated={(team) => {
            toast.good(t(listText.created, { name: team.name }));
            void navigate({ to: `/organisations/${team.id}`, replace: true });
          }}
          onClose={() => setSearch({ edit: '' })}
        />
      </LazyMount>
    </>
  );
}

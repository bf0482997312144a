import type { TeamData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { FileUp, LogOut, UserPlus, Users } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import { useSorted } from '../../../shared/data-table/use-sorted.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';
import { useLastShown } from '../../../shared/url-state/use-edited.ts';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { memberActions, teamActions } from '../base/permissions.ts';
import classes from '../base/organisations.module.css';
import { membersQuery } from '../base/queries.ts';
import { freshTab, teamSearch } from '../base/search.ts';
import { importText } from '../import/text.ts';
import { memberColumns } from './columns.tsx';
import { membersText as text } from './text.ts';
import { useLeaving } from './use-member-actions.ts';

const MemberDrawer = lazy(async () => ({ default: (await import('./member-drawer.tsx')).MemberDrawer }));

/** The members, their limits and usage, and the button to leave. */
export function Members({ team }: { team: TeamData }) {
  const t = useTranslate();
  const [{ edit }, setSearch] = useUrlState(teamSearch);
  const members = useQuery(membersQuery(team.id));
  const columns = useMemo(() => memberColumns(team), [team]);
  const [order, sorting] = useSorted(columns);
  const member = members.data?.find((each) => String(each.user_id) === edit);
  const isEdited = member !== undefined && memberActions(team, member).has('limit');
  const shown = useLastShown(isEdited, member);
  return (
    <Panel title={t(text.title)} actions={<Actions team={team} />} flush>
      <DataTable
        name="team-members"
        label={t(text.title)}
        columns={columns}
        rowId={(each) => String(each.user_id)}
        query={{ ...members, data: members.data && order(members.data) }}
        sorting={sorting}
        empty={<EmptyState icon={<Users size={20} />} title={t(text.title)} />}
        bare
      />
      <LazyMount when={isEdited}>
        <MemberDrawer opened={isEdited} team={team} member={shown} onClose={() => setSearch({ edit: '' })} />
      </LazyMount>
    </Panel>
  );
}

function Actions({ team }: { team: TeamData }) {
  const t = useTranslate();
  const may = teamActions(team);
  const [, setSearch] = useUrlState(teamSearch);
  const { leave, isPending } = useLeaving(team);
  const openImport = () =>
    openLazyDialog({
      title: t(importText.openOf, { name: team.name }),
      size: 720,
      body: async (close) => {
        const { ImportBody } = await import('../import/import-body.tsx');
        return <ImportBody teamId={team.id} isRoot={false} onClose={close} />;
      },
    });
  return (
    <div className={classes.buttons}>
      {may.has('leave') && (
        <MutationButton
          variant="default"
          leftSection={<LogOut size={15} />}
          loading={isPending}
          onClick={leave}
        >
          {t(text.leave)}
        </MutationButton>
      )}
      {may.has('inviteManagers') && (
        <MutationButton
          variant="default"
          leftSection={<FileUp size={15} />}
          onClick={() => void openImport()}
        >
          {t(importText.open)}
        </MutationButton>
      )}
      {may.has('invite') && (
        <MutationButton
          leftSection={<UserPlus size={15} />}
          onClick={() => setSearch({ ...freshTab, tab: 'invitations', edit: 'new' })}
        >
          {t(text.invite)}
        </MutationButton>
      )}
    </div>
  );
}

import type { NewTeamInvitation, TeamData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { MailPlus, UserPlus } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { teamActions } from '../base/permissions.ts';
import { teamSearch } from '../base/search.ts';
import { invitationColumns } from './columns.tsx';
import { invitationsQuery } from './queries.ts';
import { invitationText as text } from './text.ts';

const InviteDrawer = lazy(async () => ({ default: (await import('./invite-drawer.tsx')).InviteDrawer }));

/** Open invitations. */
export function Invitations({ team }: { team: TeamData }) {
  const t = useTranslate();
  const [{ edit }, setSearch] = useUrlState(teamSearch);
  const invitations = useQuery(invitationsQuery(team.id));
  const columns = useMemo(() => invitationColumns(team.id), [team.id]);
  const mayInvite = teamActions(team).has('invite');
  const isOpen = edit === 'new' && mayInvite;
  const invite = mayInvite && (
    <MutationButton leftSection={<UserPlus size={15} />} onClick={() => setSearch({ edit: 'new' })}>
      {t(text.invite)}
    </MutationButton>
  );
  const onInvited = (invitation: NewTeamInvitation) => {
    setSearch({ edit: '' });
    void openLazyDialog({
      title: t(text.madeTitle),
      body: async (close) => {
        const { CreatedBody } = await import('./created-body.tsx');
        return <CreatedBody invitation={invitation} onClose={close} />;
      },
    });
  };
  return (
    <Panel title={t(text.title)} actions={invite || undefined} flush>
      <DataTable
        name="team-invitations"
        label={t(text.title)}
        columns={columns}
        rowId={(row) => String(row.id)}
        query={invitations}
        empty={
          <EmptyState icon={<MailPlus size={20} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
        }
        bare
      />
      <LazyMount when={isOpen}>
        <InviteDrawer
          opened={isOpen}
          team={team}
          onInvited={onInvited}
          onClose={() => setSearch({ edit: '' })}
        />
      </LazyMount>
    </Panel>
  );
}

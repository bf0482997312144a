import { Button, Group } from '@mantine/core';
import { role, teamStatus, type ManagedTeamData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { importText } from '../import/text.ts';
import { useManageTeam } from './queries.ts';
import { allSearch } from './search.ts';
import { allText as text } from './text.ts';

const quiet = { size: 'compact-sm', variant: 'subtle', color: 'gray', c: 'var(--tg-text-2)' } as const;

/** Bans after a confirmation and unbans; errors are shown as a toast. */
function useBan(team: ManagedTeamData) {
  const t = useTranslate();
  const confirm = useConfirm();
  const manage = useManageTeam();
  const { id, name } = team;
  const isOn = team.status === teamStatus.enabled;
  const toggle = async () => {
    const agreed =
      !isOn ||
      (await confirm({
        title: t(text.banTitle, { name }),
        body: t(text.banBody),
        action: t(text.ban),
        danger: true,
      }));
    if (!agreed) return;
    manage.mutate(
      { id, status: isOn ? teamStatus.banned : teamStatus.enabled },
      { onSuccess: () => toast.good(t(isOn ? text.banned : text.lifted, { name })) },
    );
  };
  return { isOn, isPending: manage.isPending, toggle: () => void toggle() };
}

/** Hidden if the viewer may not change the owner: the organisation has the same protection. */
export function RowActions({ team }: { team: ManagedTeamData }) {
  const t = useTranslate();
  const rank = useCurrentUser()?.role ?? role.guest;
  const [, setSearch] = useUrlState(allSearch);
  const ban = useBan(team);
  const { name } = team;
  if (rank < role.root && rank <= team.owner_role) return null;
  const adjust = () =>
    openLazyDialog({
      title: t(text.adjustOf, { name }),
      body: async (close) => {
        const { AdjustBody } = await import('./adjust-body.tsx');
        return <AdjustBody team={team} onClose={close} />;
      },
    });
  const openImport = () =>
    openLazyDialog({
      title: t(importText.openOf, { name }),
      size: 720,
      body: async (close) => {
        const { ImportBody } = await import('../import/import-body.tsx');
        return <ImportBody teamId={team.id} isRoot onClose={close} />;
      },
    });
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end" display="inline-flex">
      <Button
        size="compact-sm"
        variant="light"
        aria-label={t(text.editOf, { name })}
        onClick={() => setSearch({ edit: String(team.id) })}
      >
        {t(text.edit)}
      </Button>
      <Button {...quiet} aria-label={t(text.adjustOf, { name })} onClick={() => void adjust()}>
        {t(text.adjust)}
      </Button>
      {rank >= role.root && ban.isOn && (
        <Button {...quiet} aria-label={t(importText.openOf, { name })} onClick={() => void openImport()}>
          {t(importText.short)}
        </Button>
      )}
      <Button
        {...quiet}
        aria-label={t(ban.isOn ? text.banOf : text.liftOf, { name })}
        loading={ban.isPending}
        onClick={ban.toggle}
      >
        {t(ban.isOn ? text.ban : text.lift)}
      </Button>
    </Group>
  );
}

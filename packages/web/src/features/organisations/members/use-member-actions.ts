import type { TeamData, TeamMemberData } from '@tollgate/contract';
import { useNavigate } from '@tanstack/react-router';
import { useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useHandOver, useLeaveTeam, useRemoveMember } from './queries.ts';
import { membersText as text } from './text.ts';

/** Actions on a member, each after a confirmation; errors are shown as a toast. */
export function useMemberActions(team: TeamData, member: TeamMemberData) {
  const t = useTranslate();
  const confirm = useConfirm();
  const handOver = useHandOver();
  const remove = useRemoveMember();
  const name = member.username;
  const which = { id: team.id, user_id: member.user_id };
  return {
    handOver: () =>
      void confirm({
        title: t(text.handOverTitle, { team: team.name, name }),
        body: t(text.handOverBody),
        action: t(text.handOver),
        danger: true,
        typeToConfirm: team.name,
      }).then((agreed) => {
        if (agreed) handOver.mutate(which, { onSuccess: () => toast.good(t(text.handedOver, { name })) });
      }),
    remove: () =>
      void confirm({
        title: t(text.removeTitle, { team: team.name, name }),
        body: t(text.removeBody),
        action: t(text.remove),
        danger: true,
      }).then((agreed) => {
        // The row is unmounted by then, so its own callbacks do not run.
        if (agreed)
          remove.mutateAsync(which).then(
            () => toast.good(t(text.removed, { name })),
            () => undefined,
          );
      }),
  };
}

/** Leaves the organisation after a confirmation. */
export function useLeaving(team: TeamData) {
  const t = useTranslate();
  const confirm = useConfirm();
  const navigate = useNavigate();
  const leave = useLeaveTeam();
  const ask = async () => {
    const agreed = await confirm({
      title: t(text.leaveTitle, { team: team.name }),
      body: t(text.leaveBody),
      action: t(text.leave),
      danger: true,
    });
    if (!agreed) return;
    try {
      await leave.mutateAsync(team.id);
      toast.good(t(text.left2, { team: team.name }));
      await navigate({ to: '/organisations' });
    } catch {
      // The mutation itself shows the error as a toast.
    }
  };
  return { leave: () => void ask(), isPending: leave.isPending };
}

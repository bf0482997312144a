import type { TeamData, TeamMemberData } from '@tollgate/contract';
import { useNavigate } from '@tanstack/react-router';
import { useSay } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useHandOver, useLeaveTeam, useRemoveMember } from './queries.ts';
import { membersText as text } from './text.ts';

/** What is done to a member, each after a question; errors are shown as a toast. */
export function useMemberActions(team: TeamData, member: TeamMemberData) {
  const say = useSay();
  const confirm = useConfirm();
  const handOver = useHandOver();
  const remove = useRemoveMember();
  const name = member.username;
  const which = { id: team.id, user_id: member.user_id };
  return {
    handOver: () =>
      void confirm({
        title: say(text.handOverTitle, { team: team.name, name }),
        body: say(text.handOverBody),
        action: say(text.handOver),
        danger: true,
        typeToConfirm: team.name,
      }).then((agreed) => {
        if (agreed) handOver.mutate(which, { onSuccess: () => toast.good(say(text.handedOver, { name })) });
      }),
    remove: () =>
      void confirm({
        title: say(text.removeTitle, { team: team.name, name }),
        body: say(text.removeBody),
        action: say(text.remove),
        danger: true,
      }).then((agreed) => {
        // The row is gone by then, so its own callbacks are not heard.
        if (agreed)
          remove.mutateAsync(which).then(
            () => toast.good(say(text.removed, { name })),
            () => undefined,
          );
      }),
  };
}

/** Leaves the organisation, after a question. */
export function useLeaving(team: TeamData) {
  const say = useSay();
  const confirm = useConfirm();
  const navigate = useNavigate();
  const leave = useLeaveTeam();
  const ask = async () => {
    const agreed = await confirm({
      title: say(text.leaveTitle, { team: team.name }),
      body: say(text.leaveBody),
      action: say(text.leave),
      danger: true,
    });
    if (!agreed) return;
    try {
      await leave.mutateAsync(team.id);
      toast.good(say(text.left2, { team: team.name }));
      await navigate({ to: '/organisations' });
    } catch {
      // The mutation itself shows the error as a toast.
    }
  };
  return { leave: () => void ask(), isPending: leave.isPending };
}

import { Button } from '@mantine/core';
import type { TeamInvitationData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { Money } from '../../../shared/money/money.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { TeamRoleTag } from '../base/labels.tsx';
import { useWithdrawInvitation } from './queries.ts';
import { invitationText as text } from './text.ts';

type Row = TeamInvitationData;

export const invitationColumns = (teamId: number): readonly Column<Row>[] => [
  {
    id: 'invitee',
    title: text.invitee,
    role: 'title',
    fixed: true,
    render: (row) => <Invitee row={row} />,
  },
  { id: 'role', title: text.role, card: 'corner', render: (row) => <TeamRoleTag role={row.role} /> },
  { id: 'by', title: text.by, render: (row) => row.inviter_name },
  { id: 'created', title: text.created, roomy: true, render: (row) => <Time at={row.created_time} /> },
  { id: 'limits', title: text.limits, roomy: true, render: (row) => <Limits row={row} /> },
  { id: 'expires', title: text.expires, render: (row) => <Time at={row.expires_time} /> },
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (row) => <Withdraw teamId={teamId} row={row} />,
  },
];

function Invitee({ row }: { row: Row }) {
  const t = useTranslate();
  return row.invitee === '' ? t(text.anyone) : row.invitee;
}

function Limits({ row: { limits } }: { row: Row }) {
  const t = useTranslate();
  return limits.map(({ name, amount }) => (
    <div key={name}>
      {t(text[name])} <Money quota={amount} digits={2} />
    </div>
  ));
}

function Withdraw({ teamId, row }: { teamId: number; row: Row }) {
  const t = useTranslate();
  const withdraw = useWithdrawInvitation(teamId);
  const name = row.invitee === '' ? t(text.anyone) : row.invitee;
  // The row unmounts on success, so its own callbacks do not run.
  const run = () =>
    void withdraw.mutateAsync(row.id).then(
      () => toast.good(t(text.withdrawn)),
      () => undefined,
    );
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      c="var(--tg-text-2)"
      aria-label={t(text.withdrawOf, { name })}
      loading={withdraw.isPending}
      onClick={run}
    >
      {t(text.withdraw)}
    </Button>
  );
}

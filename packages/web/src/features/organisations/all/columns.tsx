import type { ManagedTeamData } from '@tollgate/contract';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { GroupTag } from '../../../shared/group-tag/group-tag.tsx';
import { Money, MoneySum } from '../../../shared/money/money.tsx';
import { TeamStatus } from '../base/labels.tsx';
import { RowActions } from './row-actions.tsx';
import { allText as text } from './text.ts';

type Row = ManagedTeamData;

export const allColumns: readonly Column<Row>[] = [
  { id: 'id', title: text.id, roomy: true, render: (team) => team.id },
  { id: 'name', title: text.name, role: 'title', fixed: true, render: (team) => team.name },
  {
    id: 'status',
    title: text.status,
    card: 'corner',
    render: (team) => <TeamStatus status={team.status} />,
  },
  { id: 'owner', title: text.ownedBy, card: 'line', render: (team) => <Owner team={team} /> },
  { id: 'group', title: text.group, render: (team) => <GroupTag group={team.group} /> },
  {
    id: 'wallet',
    title: text.wallet,
    align: 'end',
    card: 'line',
    render: (team) => <Money quota={team.balance} />,
  },
  {
    id: 'held',
    title: text.held,
    align: 'end',
    hidden: true,
    render: (team) => <MoneySum quota={team.held} />,
  },
  { id: 'used', title: text.used, align: 'end', render: (team) => <MoneySum quota={team.used_quota} /> },
  {
    id: 'members',
    title: text.members,
    align: 'end',
    roomy: true,
    render: (team) => <Count value={team.member_count} />,
  },
  { id: 'created', title: text.created, roomy: true, render: (team) => <Time at={team.created_time} /> },
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (team) => <RowActions team={team} />,
  },
];

function Owner({ team }: { team: Row }) {
  const t = useTranslate();
  return team.owner_role === 0 ? t(text.noOwner) : team.owner_name;
}

function Count({ value }: { value: number }) {
  return formatNumber(value, useLanguage());
}

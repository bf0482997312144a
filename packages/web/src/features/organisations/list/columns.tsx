import { teamStatus, type TeamData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { GroupTag } from '../../../shared/group-tag/group-tag.tsx';
import { Money, MoneySum } from '../../../shared/money/money.tsx';
import classes from '../base/organisations.module.css';
import { text } from '../base/text.ts';
import { LimitLeft, TeamRoleTag, TeamStatus } from '../base/labels.tsx';
import { listText } from './text.ts';

export const teamColumns: readonly Column<TeamData>[] = [
  {
    id: 'name',
    sort: 'name',
    value: (team) => team.name,
    title: listText.name,
    role: 'title',
    fixed: true,
    render: (team) => (
      <Link to={`/organisations/${team.id}`} className={classes.name}>
        {team.name}
      </Link>
    ),
  },
  {
    id: 'status',
    title: listText.status,
    card: 'corner',
    render: (team) => <TeamStatus status={team.status} />,
  },
  { id: 'role', title: listText.role, card: 'line', render: (team) => <TeamRoleTag role={team.role} /> },
  {
    id: 'wallet',
    sort: 'wallet',
    value: (team) => team.balance,
    card: 'line',
    title: listText.wallet,
    align: 'end',
    render: (team) => <Money quota={team.balance} />,
  },
  {
    id: 'used',
    sort: 'used',
    value: (team) => team.used_month,
    title: listText.usedMonth,
    align: 'end',
    render: (team) => <MoneySum quota={team.used_month} />,
  },
  { id: 'left', title: listText.left, align: 'end', render: (team) => <Left team={team} /> },
  {
    id: 'members',
    sort: 'members',
    value: (team) => team.member_count,
    title: listText.members,
    align: 'end',
    render: (team) => <Count value={team.member_count} />,
  },
  { id: 'owner', title: listText.ownedBy, roomy: true, render: (team) => team.owner_name },
  { id: 'group', title: listText.group, hidden: true, render: (team) => <GroupTag group={team.group} /> },
];

/** Banned by an administrator. */
export const isFaded = (team: TeamData): boolean => team.status !== teamStatus.enabled;

function Left({ team }: { team: TeamData }) {
  const t = useTranslate();
  return team.limit_left === null ? t(text.noLimit) : <LimitLeft limit={team} />;
}

function Count({ value }: { value: number }) {
  return formatNumber(value, useLanguage());
}

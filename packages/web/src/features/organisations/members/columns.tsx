import { userStatus, type TeamData, type TeamMemberData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { MoneySum } from '../../../shared/money/money.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { teamActions } from '../base/permissions.ts';
import { LimitLeft, TeamRoleTag, useLimitText } from '../base/labels.tsx';
import { MemberActions } from './member-actions.tsx';
import { membersText as text } from './text.ts';

interface CellProps {
  member: TeamMemberData;
}

/** Limits and usage of others are for managers; members see only the list of members. */
export function memberColumns(team: TeamData): readonly Column<TeamMemberData>[] {
  return [
    {
      id: 'name',
      sort: 'name',
      value: (member) => member.username,
      title: text.name,
      role: 'title',
      fixed: true,
      render: (member) => <Name member={member} />,
    },
    {
      id: 'role',
      title: text.role,
      card: 'corner',
      render: (member) => <TeamRoleTag role={member.role} />,
    },
    ...(teamActions(team).has('seeAll') ? figures : []),
    {
      id: 'joined',
      sort: 'joined',
      value: (member) => member.joined_time,
      title: text.joined,
      roomy: true,
      render: (member) => <Time at={member.joined_time} />,
    },
    {
      id: 'actions',
      title: text.actions,
      role: 'actions',
      fixed: true,
      render: (member) => <MemberActions team={team} member={member} />,
    },
  ];
}

const figures: readonly Column<TeamMemberData>[] = [
  { id: 'limit', title: text.limit, render: (member) => <Limit member={member} /> },
  { id: 'left', title: text.left, align: 'end', render: (member) => <LimitLeft limit={member} /> },
  {
    id: 'month',
    sort: 'month',
    value: (member) => member.used_month,
    card: 'line',
    title: text.usedMonth,
    align: 'end',
    render: (member) => <MoneySum quota={member.used_month} />,
  },
  {
    id: 'used',
    sort: 'used',
    value: (member) => member.used_quota,
    title: text.used,
    align: 'end',
    roomy: true,
    render: (member) => <MoneySum quota={member.used_quota} />,
  },
];

function Name({ member }: CellProps) {
  const t = useTranslate();
  const isSelf = useCurrentUser()?.id === member.user_id;
  return (
    <span className="inline-row">
      {member.username}
      {isSelf && <Tag>{t(text.you)}</Tag>}
      {member.status !== userStatus.enabled && <Tag tone="bad">{t(text.siteBanned)}</Tag>}
    </span>
  );
}

function Limit({ member }: CellProps) {
  const limitWords = useLimitText();
  return limitWords(member);
}

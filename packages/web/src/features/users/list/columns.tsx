import type { ManagedUserData } from '@tollgate/contract';
import { useLanguage } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { GroupTag } from '../../../shared/group-tag/group-tag.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { SpentInList } from '../../../shared/money/spent.tsx';
import { RoleTag } from '../../../shared/role-tag.tsx';
import { Status } from '../base/status.tsx';
import { Invitation, Name, Remark } from './cells.tsx';
import { RowActions } from './row-actions.tsx';
import { text } from '../base/text.ts';

export const userColumns: readonly Column<ManagedUserData>[] = [
  { id: 'id', sort: 'id', title: text.id, roomy: true, render: (user) => user.id },
  {
    id: 'username',
    sort: 'username',
    title: text.username,
    role: 'title',
    fixed: true,
    render: (user) => <Name user={user} />,
  },
  {
    id: 'status',
    sort: 'status',
    title: text.status,
    card: 'corner',
    render: (user) => <Status user={user} />,
  },
  {
    id: 'role',
    sort: 'role',
    title: text.role,
    card: 'line',
    render: (user) => <RoleTag role={user.role} />,
  },
  {
    id: 'group',
    sort: 'group',
    title: text.group,
    render: (user) => <GroupTag group={user.group} />,
  },
  {
    id: 'balance',
    sort: 'quota',
    title: text.balance,
    align: 'end',
    card: 'line',
    render: (user) => <Money quota={user.quota} />,
  },
  {
    id: 'used',
    sort: 'used_quota',
    title: text.used,
    align: 'end',
    card: 'line',
    render: (user) => <SpentInList user={user} />,
  },
  {
    id: 'requests',
    sort: 'request_count',
    title: text.requests,
    align: 'end',
    roomy: true,
    render: (user) => <Count value={user.request_count} />,
  },
  {
    id: 'invitation',
    sort: 'aff_count',
    title: text.invitation,
    roomy: true,
    render: (user) => <Invitation user={user} />,
  },
  { id: 'email', title: text.email, hidden: true, render: (user) => user.email },
  { id: 'remark', title: text.remark, roomy: true, render: (user) => <Remark user={user} /> },
  {
    id: 'created',
    sort: 'created_time',
    title: text.created,
    hidden: true,
    render: (user) => <Time at={user.created_time} />,
  },
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (user) => <RowActions user={user} />,
  },
];

function Count({ value }: { value: number }) {
  return formatNumber(value, useLanguage());
}

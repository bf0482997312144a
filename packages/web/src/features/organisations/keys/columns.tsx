import type { TeamData, TeamTokenData } from '@tollgate/contract';
import type { Column } from '../../../shared/data-table/types.ts';
import {
  KeyExpiry,
  KeyGroup,
  KeyLastUsed,
  KeyModels,
  KeyRemaining,
  KeyStatus,
} from '../../../shared/key-cells/cells.tsx';
import { MoneySum } from '../../../shared/money/money.tsx';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { teamActions } from '../base/permissions.ts';
import { KeyActions } from './key-actions.tsx';
import { keysText as text } from './text.ts';

type Row = TeamTokenData;

const madeBy: Column<Row> = {
  id: 'member',
  title: text.madeBy,
  card: 'line',
  render: (token) => token.username,
};

/** Managers see the keys of all members, so each row names its member. */
export function keyColumns(team: TeamData): readonly Column<Row>[] {
  return [
    {
      id: 'name',
      sort: 'name',
      title: text.name,
      role: 'title',
      fixed: true,
      render: (token) => token.name,
    },
    {
      id: 'status',
      sort: 'status',
      title: text.status,
      card: 'corner',
      render: (token) => <KeyStatus token={token} />,
    },
    ...(teamActions(team).has('seeAll') ? [madeBy] : []),
    ...facts,
    {
      id: 'actions',
      title: text.actions,
      role: 'actions',
      fixed: true,
      render: (token) => <KeyActions team={team} token={token} />,
    },
  ];
}

const facts: readonly Column<Row>[] = [
  {
    id: 'key',
    title: text.key,
    card: 'line',
    roomy: true,
    render: (token) => <InlineCode>sk-{token.key}</InlineCode>,
  },
  {
    id: 'used',
    sort: 'used_quota',
    title: text.used,
    align: 'end',
    render: (token) => <MoneySum quota={token.used_quota} />,
  },
  {
    id: 'remaining',
    sort: 'remain_quota',
    title: text.remaining,
    align: 'end',
    render: (token) => <KeyRemaining token={token} />,
  },
  {
    id: 'group',
    title: text.group,
    hidden: true,
    render: (token) => <KeyGroup token={token} own={text.ownGroup} />,
  },
  { id: 'models', title: text.models, hidden: true, render: (token) => <KeyModels token={token} /> },
  {
    id: 'accessed',
    sort: 'accessed_time',
    title: text.lastUsed,
    roomy: true,
    render: (token) => <KeyLastUsed token={token} />,
  },
  {
    id: 'expires',
    sort: 'expired_time',
    title: text.expires,
    roomy: true,
    render: (token) => <KeyExpiry token={token} />,
  },
];

import type { TokenData } from '@tollgate/contract';
import { useTranslate } from '../../lib/i18n.ts';
import type { Column } from '../../shared/data-table/types.ts';
import { Time } from '../../shared/date-time/time.tsx';
import {
  KeyExpiry,
  KeyGroup,
  KeyLastUsed,
  KeyModels,
  KeyRemaining,
  KeyStatus,
} from '../../shared/key-cells/cells.tsx';
import { Money } from '../../shared/money/money.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { TextButton } from '../../ui/text-button.tsx';
import { RowActions } from './row-actions.tsx';
import { tokenSearch } from './search.ts';
import { text } from './text.ts';
import { Group } from '@mantine/core';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { useText } from '../../shared/keys/key-text.ts';
import { InlineCode } from '../../ui/inline-code.tsx';
import { fetchKey } from './queries.ts';

/** The shortened key; the full one is fetched only for copying. */
function KeyCell({ token }: { token: TokenData }) {
  const t = useTranslate();
  const fetchOrExplain = async () => {
    const key = await fetchKey(token.id);
    if (key === undefined) throw new Error(t(useText.hashOnly));
    return key;
  };
  return (
    <Group gap={4} wrap="nowrap">
      <InlineCode>sk-{token.key}</InlineCode>
      <CopyButton value={fetchOrExplain} what={t(text.key)} />
    </Group>
  );
}

export const tokenColumns: readonly Column<TokenData>[] = [
  {
    id: 'name',
    sort: 'name',
    title: text.name,
    role: 'title',
    fixed: true,
    render: (token) => <Name token={token} />,
  },
  {
    id: 'status',
    sort: 'status',
    title: text.status,
    card: 'corner',
    render: (token) => <KeyStatus token={token} />,
  },
  { id: 'key', title: text.key, roomy: true, render: (token) => <KeyCell token={token} /> },
  {
    id: 'used',
    sort: 'used_quota',
    title: text.usedQuota,
    align: 'end',
    card: 'line',
    render: (token) => <Money quota={token.used_quota} />,
  },
  {
    id: 'remain',
    sort: 'remain_quota',
    title: text.remainQuota,
    align: 'end',
    card: 'line',
    render: (token) => <KeyRemaining token={token} />,
  },
  { id: 'group', title: text.group, render: (token) => <KeyGroup token={token} own={text.ownGroup} /> },
  { id: 'models', title: text.models, roomy: true, render: (token) => <KeyModels token={token} /> },
  { id: 'addresses', title: text.addresses, hidden: true, render: (token) => <Addresses token={token} /> },
  {
    id: 'created',
    sort: 'created_time',
    title: text.created,
    hidden: true,
    render: (token) => <Time at={token.created_time} />,
  },
  {
    id: 'accessed',
    sort: 'accessed_time',
    title: text.accessed,
    roomy: true,
    render: (token) => <KeyLastUsed token={token} />,
  },
  {
    id: 'expires',
    sort: 'expired_time',
    title: text.expires,
    render: (token) => <KeyExpiry token={token} />,
  },
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (token) => <RowActions token={token} />,
  },
];

interface CellProps {
  token: TokenData;
}

function Name({ token }: CellProps) {
  const [, setSearch] = useUrlState(tokenSearch);
  return <TextButton onClick={() => setSearch({ edit: String(token.id) })}>{token.name}</TextButton>;
}

function Addresses({ token }: CellProps) {
  const t = useTranslate();
  const lines = token.allow_ips.split('\n').filter(Boolean);
  const [first = ''] = lines;
  if (first === '') return t(text.anyAddress);
  return <span title={lines.join('\n')}>{lines.length > 1 ? `${first} +${lines.length - 1}` : first}</span>;
}

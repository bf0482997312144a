import { tokenStatus, type TokenData } from '@tollgate/contract';
import { useSay, type Text } from '../../lib/i18n.ts';
import type { Column } from '../../shared/data-table/types.ts';
import { GroupTag } from '../../shared/group-tag/group-tag.tsx';
import { Time } from '../../shared/date-time/time.tsx';
import { Money } from '../../shared/money/money.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { Dot, type DotTone } from '../../ui/dot.tsx';
import { Meter } from '../../ui/meter.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { KeyCell } from './key-cell.tsx';
import { RowActions } from './row-actions.tsx';
import { tokenSearch } from './search.ts';
import { text } from './text.ts';

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
    render: (token) => <Status token={token} />,
  },
  { id: 'key', title: text.key, card: 'line', roomy: true, render: (token) => <KeyCell token={token} /> },
  {
    id: 'used',
    sort: 'used_quota',
    title: text.usedQuota,
    align: 'end',
    render: (token) => <Money quota={token.used_quota} />,
  },
  {
    id: 'remain',
    sort: 'remain_quota',
    title: text.remainQuota,
    align: 'end',
    render: (token) => <Remaining token={token} />,
  },
  { id: 'group', title: text.group, render: (token) => <GroupCell group={token.group} /> },
  { id: 'models', title: text.models, roomy: true, render: (token) => <Models token={token} /> },
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
    render: (token) => <LastUsed token={token} />,
  },
  { id: 'expires', sort: 'expired_time', title: text.expires, render: (token) => <Expiry token={token} /> },
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

/** The names of the states. */
const statuses: Record<number, { tone: DotTone; word: Text }> = {
  [tokenStatus.enabled]: { tone: 'good', word: text.enabled },
  [tokenStatus.disabled]: { tone: 'idle', word: text.disabled },
  [tokenStatus.expired]: { tone: 'warn', word: text.expired },
  [tokenStatus.exhausted]: { tone: 'bad', word: text.exhausted },
};

function Status({ token }: CellProps) {
  const say = useSay();
  const { tone, word } = statuses[token.status] ?? { tone: 'idle', word: text.unknown };
  const isLimited = token.status === tokenStatus.enabled && token.model_limits_enabled;
  return <Dot tone={tone}>{say(isLimited ? text.enabledLimited : word)}</Dot>;
}

function Remaining({ token }: CellProps) {
  const say = useSay();
  if (token.unlimited_quota) return say(text.unlimited);
  const whole = token.remain_quota + token.used_quota;
  return (
    <Meter share={whole > 0 ? token.remain_quota / whole : 0}>
      <Money quota={token.remain_quota} />
    </Meter>
  );
}

function GroupCell({ group }: { group: string }) {
  const say = useSay();
  return group === '' ? (
    <span style={{ color: 'var(--tg-text-2)' }}>{say(text.ownGroup)}</span>
  ) : (
    <GroupTag group={group} />
  );
}

function Models({ token }: CellProps) {
  const say = useSay();
  if (!token.model_limits_enabled) return say(text.anyModel);
  const names = token.model_limits.split(',').filter(Boolean);
  return <span title={names.join('\n')}>{say(text.modelCount, { count: names.length })}</span>;
}

function Addresses({ token }: CellProps) {
  const say = useSay();
  const lines = token.allow_ips.split('\n').filter(Boolean);
  const [first = ''] = lines;
  if (first === '') return say(text.anyAddress);
  return <span title={lines.join('\n')}>{lines.length > 1 ? `${first} +${lines.length - 1}` : first}</span>;
}

function LastUsed({ token }: CellProps) {
  const say = useSay();
  // A token is stamped at its creation; before the first call both times are the same.
  return token.accessed_time <= token.created_time && token.used_quota === 0 ? (
    say(text.neverUsed)
  ) : (
    <Time at={token.accessed_time} relative />
  );
}

function Expiry({ token }: CellProps) {
  const say = useSay();
  return token.expired_time === -1 ? say(text.never) : <Time at={token.expired_time} />;
}

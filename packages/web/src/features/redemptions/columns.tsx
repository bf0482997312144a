import { ActionIcon, Button, Group } from '@mantine/core';
import { redemptionStatus, type RedemptionData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { Eye } from 'lucide-react';
import { useTranslate, type Text } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import type { Column } from '../../shared/data-table/types.ts';
import { Time } from '../../shared/date-time/time.tsx';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toastWhenDone } from '../../shared/feedback/toast.ts';
import { MoneyExact } from '../../shared/money/money.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { Dot, type DotTone } from '../../ui/dot.tsx';
import { InlineCode } from '../../ui/inline-code.tsx';
import { Nothing } from '../../ui/nothing.tsx';
import { fetchCode, useRemoveRedemption, useRevealCode, useSwitchRedemption } from './queries.ts';
import { redemptionSearch } from './search.ts';
import { text } from './text.ts';

export const redemptionColumns: readonly Column<RedemptionData>[] = [
  { id: 'id', sort: 'id', title: text.id, roomy: true, render: (row) => row.id },
  { id: 'name', sort: 'name', title: text.name, role: 'title', fixed: true, render: (row) => row.name },
  {
    id: 'status',
    sort: 'status',
    title: text.status,
    card: 'corner',
    render: (row) => <Status code={row} />,
  },
  {
    id: 'quota',
    sort: 'quota',
    title: text.quota,
    align: 'end',
    card: 'line',
    render: (row) => <MoneyExact quota={row.quota} />,
  },
  { id: 'code', title: text.code, card: 'line', render: (row) => <Code row={row} /> },
  {
    id: 'created',
    sort: 'created_time',
    title: text.created,
    roomy: true,
    render: (row) => <Time at={row.created_time} />,
  },
  {
    id: 'redeemed',
    sort: 'redeemed_time',
    title: text.redeemed,
    hidden: true,
    render: (row) => (row.redeemed_time === 0 ? null : <Time at={row.redeemed_time} />),
  },
  {
    id: 'expires',
    sort: 'expired_time',
    title: text.expires,
    render: (row) => (row.expired_time === 0 ? <Nothing /> : <Time at={row.expired_time} />),
  },
  { id: 'useWithin', title: text.useWithin, render: (row) => row.use_within_days ?? <Nothing /> },
  { id: 'usedBy', title: text.usedBy, render: (row) => <UsedBy id={row.used_user_id} /> },
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (row) => <Actions row={row} />,
  },
];

/** The names of the states. */
const statuses: Record<number, { tone: DotTone; word: Text }> = {
  [redemptionStatus.unused]: { tone: 'good', word: text.unused },
  [redemptionStatus.disabled]: { tone: 'bad', word: text.disabled },
  [redemptionStatus.used]: { tone: 'idle', word: text.used },
};

/** True for a code that can no longer be redeemed because it expired. */
export const isExpired = ({ status, expired_time }: RedemptionData): boolean =>
  status === redemptionStatus.unused && expired_time > 0 && expired_time * 1000 <= Date.now();

function Status({ code }: { code: RedemptionData }) {
  const t = useTranslate();
  const known = isExpired(code) ? { tone: 'idle' as const, word: text.expired } : statuses[code.status];
  const { tone, word } = known ?? { tone: 'idle', word: text.unknown };
  return <Dot tone={tone}>{t(word)}</Dot>;
}

/** The shortened code; the full one is fetched only to show or copy it, which the audit log records. */
function Code({ row }: { row: RedemptionData }) {
  const t = useTranslate();
  const reveal = useRevealCode();
  return (
    <Group gap={4} wrap="nowrap">
      <InlineCode>{reveal.data ?? row.key}</InlineCode>
      {reveal.data === undefined && (
        <ActionIcon
          size="sm"
          aria-label={t(text.reveal)}
          title={t(text.reveal)}
          loading={reveal.isPending}
          onClick={() => reveal.mutate(row.id)}
        >
          <Eye size={14} />
        </ActionIcon>
      )}
      <CopyButton
        value={() => (reveal.data === undefined ? fetchCode(row.id) : Promise.resolve(reveal.data))}
        what={t(text.code)}
      />
    </Group>
  );
}

function UsedBy({ id }: { id: number }) {
  const t = useTranslate();
  if (id === 0) return <Nothing />;
  return (
    <Link to="/user" search={{ edit: String(id) }} title={t(text.toUser)}>
      #{id}
    </Link>
  );
}

/** Edit only while unused; enable and disable until used. */
function Actions({ row }: { row: RedemptionData }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const [, setSearch] = useUrlState(redemptionSearch);
  const switchCode = useSwitchRedemption();
  const removeCode = useRemoveRedemption();
  const isUnused = row.status === redemptionStatus.unused;

  const remove = async () => {
    const agreed = await confirm({
      title: t(text.removeTitle, { name: row.name }),
      body: t(text.removeBody),
      action: t(text.remove),
      danger: true,
    });
    if (agreed) await toastWhenDone(removeCode.mutateAsync(row.id), t(text.removed));
  };
  const quiet = { size: 'compact-sm', variant: 'subtle', color: 'gray', c: 'var(--tg-text-2)' } as const;
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end" display="inline-flex">
      <MutationButton
        {...quiet}
        disabled={row.status === redemptionStatus.used}
        loading={switchCode.isPending}
        onClick={() => switchCode.mutate({ id: row.id, enable: !isUnused })}
      >
        {t(isUnused ? text.disable : text.enable)}
      </MutationButton>
      <Button {...quiet} disabled={!isUnused} onClick={() => setSearch({ edit: String(row.id) })}>
        {t(text.edit)}
      </Button>
      <Button {...quiet} c="var(--tg-bad)" onClick={() => void remove()}>
        {t(text.remove)}
      </Button>
    </Group>
  );
}

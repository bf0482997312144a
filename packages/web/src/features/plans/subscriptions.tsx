import { type SubscriptionData, type UserSubscription } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarClock } from 'lucide-react';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import type { Column } from '../../shared/data-table/types.ts';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { Time } from '../../shared/date-time/time.tsx';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toastWhenDone } from '../../shared/feedback/toast.ts';
import { Dot, type DotTone } from '../../ui/dot.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Panel } from '../../ui/panel.tsx';
import { subscriptionsQuery, useEndSubscription } from './queries.ts';
import { text } from './text.ts';

const tones: Record<SubscriptionData['state'], DotTone> = {
  pending: 'warn',
  active: 'good',
  overdue: 'bad',
  ended: 'idle',
};

function User({ row }: { row: UserSubscription }) {
  const t = useTranslate();
  if (row.username === '') return t(text.gone);
  return (
    <Link to="/user" search={{ edit: String(row.user_id) }}>
      {row.username}
    </Link>
  );
}

function PlanName({ row }: { row: UserSubscription }) {
  return useLanguage() === 'zh' ? row.name_zh : row.name_en;
}

function State({ row }: { row: UserSubscription }) {
  const t = useTranslate();
  const isStopping = row.state === 'active' && !row.renews;
  return (
    <Dot tone={isStopping ? 'warn' : tones[row.state]}>{t(isStopping ? text.stopping : text[row.state])}</Dot>
  );
}

function PaidBy({ row }: { row: UserSubscription }) {
  return useTranslate()(text[row.paid_by]);
}

function EndButton({ row }: { row: UserSubscription }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const end = useEndSubscription();
  if (row.state === 'ended') return null;
  const ask = async () => {
    const name = row.username || t(text.gone);
    const agreed = await confirm({
      title: t(text.endTitle, { name }),
      body: t(text.endBody),
      action: t(text.end),
      danger: true,
    });
    if (agreed) await toastWhenDone(end.mutateAsync(row.id), t(text.endDone));
  };
  return (
    <MutationButton variant="default" size="xs" loading={end.isPending} onClick={() => void ask()}>
      {t(text.end)}
    </MutationButton>
  );
}

const columns: readonly Column<UserSubscription>[] = [
  { id: 'user', title: text.user, role: 'title', fixed: true, render: (row) => <User row={row} /> },
  { id: 'plan', title: text.plan, card: 'line', render: (row) => <PlanName row={row} /> },
  { id: 'state', title: text.state, card: 'corner', render: (row) => <State row={row} /> },
  { id: 'paidBy', title: text.paidBy, render: (row) => <PaidBy row={row} /> },
  { id: 'until', title: text.until, render: (row) => <Time at={row.period_end} /> },
  { id: 'since', title: text.since, render: (row) => <Time at={row.created_time} /> },
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (row) => <EndButton row={row} />,
  },
];

/** The subscriptions of all users, newest first. */
export function Subscriptions({ page, onPage }: { page: number; onPage: (page: number) => void }) {
  const t = useTranslate();
  const paging = usePaging(page, onPage);
  const found = useQuery(subscriptionsQuery(page, paging.pageSize));
  return (
    <Panel title={t(text.subscriptions)} flush>
      <DataTable
        name="subscriptions"
        label={t(text.subscriptions)}
        columns={columns}
        rowId={(row) => String(row.id)}
        query={{ ...found, data: found.data?.items }}
        faded={(row) => row.state === 'ended'}
        empty={<EmptyState icon={<CalendarClock size={20} />} title={t(text.noSubscriptions)} />}
        bare
        paging={{ ...paging, total: found.data?.total ?? 0 }}
      />
    </Panel>
  );
}

import { Button, Group, Stack } from '@mantine/core';
import type { PlanData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Package, Plus } from 'lucide-react';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatPayment } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import type { Column } from '../../shared/data-table/types.ts';
import { text as budgetText } from '../../shared/budgets/text.ts';
import { openLazyDialog } from '../../shared/dialog/open-lazy-dialog.ts';
import { toast, toastWhenDone } from '../../shared/feedback/toast.ts';
import { GroupTag } from '../../shared/group-tag/group-tag.tsx';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';
import { MoneyExact } from '../../shared/money/money.tsx';
import { pageParam, textParam } from '../../shared/url-state/params.ts';
import { useLastShown } from '../../shared/url-state/use-edited.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Nothing } from '../../ui/nothing.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Tag } from '../../ui/tag.tsx';
import { plansQuery, useRemovePlan } from './queries.ts';
import { Subscriptions } from './subscriptions.tsx';
import { text } from './text.ts';

const PlanDrawer = lazy(async () => ({ default: (await import('./plan-drawer.tsx')).PlanDrawer }));

/** URL parameters: the page of subscriptions, and the plan in the form or `new`. */
const planSearch = { p: pageParam, edit: textParam() };

function Name({ plan }: { plan: PlanData }) {
  const t = useTranslate();
  const language = useLanguage();
  return (
    <Group gap="xs" wrap="nowrap">
      {language === 'zh' ? plan.name_zh : plan.name_en}
      {plan.hidden && <Tag>{t(text.hiddenMark)}</Tag>}
    </Group>
  );
}

function Price({ plan }: { plan: PlanData }) {
  const language = useLanguage();
  return plan.price === 0 ? <Nothing /> : formatPayment(plan.price, plan.currency, language);
}

function Period({ plan }: { plan: PlanData }) {
  return useTranslate()(text[plan.period]);
}

function Budget({ plan }: { plan: PlanData }) {
  const t = useTranslate();
  if (plan.budget === 0) return <Nothing />;
  return (
    <>
      <MoneyExact quota={plan.budget} /> {t(budgetText[plan.budget_period])}
    </>
  );
}

function Actions({ plan }: { plan: PlanData }) {
  const t = useTranslate();
  const language = useLanguage();
  const confirm = useConfirm();
  const [, setSearch] = useUrlState(planSearch);
  const removing = useRemovePlan();
  const name = language === 'zh' ? plan.name_zh : plan.name_en;
  const remove = async () => {
    const title = t(text.removeTitle, { name });
    if (!(await confirm({ title, body: t(text.removeBody), action: t(text.remove), danger: true }))) return;
    await toastWhenDone(removing.mutateAsync(plan.id), t(text.removed));
  };
  const give = () =>
    openLazyDialog({
      title: t(text.giveTitle, { name }),
      body: async (close) => {
        const { GiveBody } = await import('./plan-drawer.tsx');
        return <GiveBody plan={plan} onClose={close} />;
      },
    });
  const quiet = { size: 'compact-sm', variant: 'subtle', color: 'gray', c: 'var(--tg-text-2)' } as const;
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end" display="inline-flex">
      <Button {...quiet} onClick={() => void give()}>
        {t(text.give)}
      </Button>
      <Button {...quiet} onClick={() => setSearch({ edit: String(plan.id) })}>
        {t(text.edit)}
      </Button>
      <Button {...quiet} c="var(--tg-bad)" onClick={() => void remove()}>
        {t(text.remove)}
      </Button>
    </Group>
  );
}

const columns: readonly Column<PlanData>[] = [
  { id: 'name', title: text.name, role: 'title', fixed: true, render: (row) => <Name plan={row} /> },
  { id: 'period', title: text.period, card: 'corner', render: (row) => <Period plan={row} /> },
  {
    id: 'credit',
    title: text.credit,
    align: 'end',
    card: 'line',
    render: (row) => <MoneyExact quota={row.quota} />,
  },
  { id: 'price', title: text.price, align: 'end', render: (row) => <Price plan={row} /> },
  {
    id: 'balance',
    title: text.balanceColumn,
    align: 'end',
    render: (row) => (row.balance_price === 0 ? <Nothing /> : <MoneyExact quota={row.balance_price} />),
  },
  {
    id: 'group',
    title: text.group,
    render: (row) => (row.user_group === '' ? <Nothing /> : <GroupTag group={row.user_group} />),
  },
  { id: 'budget', title: text.budgetColumn, render: (row) => <Budget plan={row} /> },
  { id: 'subscribers', title: text.subscribers, align: 'end', render: (row) => row.subscribers },
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (row) => <Actions plan={row} />,
  },
];

/** Plans and the subscriptions to them; for root. */
export function Page() {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const [{ p, edit }, setSearch] = useUrlState(planSearch);
  const plans = useQuery(plansQuery);
  const listed = plans.data?.find(({ id }) => String(id) === edit);
  const opened = edit === 'new' || listed !== undefined;
  const edited = useLastShown(opened, listed);
  const close = () => setSearch({ edit: '' });
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={() => setSearch({ edit: 'new' })}>
      {t(text.add)}
    </Button>
  );
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} actions={add} />
      <Stack gap={14}>
        <Panel flush>
          <DataTable
            name="plans"
            label={t(text.title)}
            columns={columns}
            rowId={(row) => String(row.id)}
            query={plans}
            faded={(row) => row.hidden}
            empty={<EmptyState icon={<Package size={20} />} title={t(text.emptyTitle)} action={add} />}
          />
        </Panel>
        <Subscriptions page={p} onPage={(next) => setSearch({ p: next })} />
      </Stack>
      <LazyMount when={opened}>
        <PlanDrawer
          opened={opened}
          plan={edited}
          perUnit={display.perUnit}
          onClose={close}
          onSaved={() => {
            close();
            toast.good(t(text.saved));
          }}
        />
      </LazyMount>
    </>
  );
}

import { Button } from '@mantine/core';
import { role, topUpStatuses, type UserTopUp, walletApi } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Receipt } from 'lucide-react';
import { useMemo } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatMoney, formatPayment } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import type { Column } from '../../shared/data-table/types.ts';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { openLazyDialog } from '../../shared/dialog/open-lazy-dialog.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { ChoiceField } from '../../shared/filter-bar/choice-field.tsx';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { choiceParam, pageParam, textParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { invoiceColumn, orderColumns } from './orders.tsx';
import { ordersKey } from './queries.ts';
import { text } from './text.ts';

const search = { p: pageParam, keyword: textParam(), status: choiceParam(['', ...topUpStatuses]) };

function Buyer({ row }: { row: UserTopUp }) {
  const t = useTranslate();
  if (row.username === '') return t(text.gone);
  return (
    <Link to="/user" search={{ edit: String(row.user_id) }}>
      {row.username}
    </Link>
  );
}

/** For a completed payment that its provider never reported. */
function CompleteButton({ row }: { row: UserTopUp }) {
  const t = useTranslate();
  const language = useLanguage();
  const confirm = useConfirm();
  const display = useQuotaDisplay();
  const client = useQueryClient();
  const complete = useMutation({
    mutationFn: () => call(walletApi.complete, { trade_no: row.trade_no }),
    onSuccess: () => client.invalidateQueries({ queryKey: ordersKey }),
  });
  const ask = async () => {
    const money = formatPayment(row.money, row.currency, language);
    const agreed = await confirm({
      title: t(text.completeTitle, { name: row.username }),
      body: t(text.completeBody, { money, quota: formatMoney(row.quota, display) }),
      action: t(text.complete),
      danger: true,
    });
    if (agreed) complete.mutate(undefined, { onSuccess: () => toast.good(t(text.completed)) });
  };
  if (row.status === 'success') return <RefundButton row={row} />;
  if (row.username === '' || row.status === 'failed' || row.status === 'refunded') return null;
  return (
    <MutationButton variant="default" size="xs" loading={complete.isPending} onClick={() => void ask()}>
      {t(text.complete)}
    </MutationButton>
  );
}

/** Takes back what is left of a credited order; for root. */
function RefundButton({ row }: { row: UserTopUp }) {
  const t = useTranslate();
  const isRoot = (useCurrentUser()?.role ?? 0) >= role.root;
  const open = () =>
    openLazyDialog({
      title: t(text.refundTitle, { name: row.username || t(text.gone) }),
      body: async (close) => {
        const { RefundBody } = await import('./refund-body.tsx');
        return <RefundBody order={row} onClose={close} />;
      },
    });
  if (!isRoot) return null;
  return (
    <MutationButton variant="default" size="xs" onClick={() => void open()}>
      {t(text.refund)}
    </MutationButton>
  );
}

/** Opens the report of what the site owes its users; for root. */
function OwedButton() {
  const t = useTranslate();
  const isRoot = (useCurrentUser()?.role ?? 0) >= role.root;
  const open = () =>
    openLazyDialog({
      title: t(text.owedTitle),
      size: 900,
      body: async () => {
        const { OwedBody } = await import('./owed-body.tsx');
        return <OwedBody />;
      },
    });
  if (!isRoot) return null;
  return (
    <Button variant="default" onClick={() => void open()}>
      {t(text.owed)}
    </Button>
  );
}

const [time, ...others] = orderColumns;
const columnsFor = (orders: readonly UserTopUp[] | undefined): readonly Column<UserTopUp>[] => [
  ...(time ? [time] : []),
  { id: 'user', title: text.buyer, card: 'line', render: (row) => <Buyer row={row} /> },
  ...others,
  ...invoiceColumn(orders, true),
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (row) => <CompleteButton row={row} />,
  },
];

/** All orders of all users, newest first. */
export function Page() {
  const t = useTranslate();
  const [{ p, keyword, status }, setSearch] = useUrlState(search);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const { pageSize } = paging;
  const orders = useQuery(
    queryOptions({
      queryKey: [...ordersKey, p, pageSize, keyword, status],
      queryFn: ({ signal }) =>
        call(walletApi.allOrders, { p, page_size: pageSize, keyword, status }, { signal }),
      placeholderData: keepPreviousData,
    }),
  );
  const items = orders.data?.items;
  const columns = useMemo(() => columnsFor(items), [items]);
  const isFiltered = keyword !== '' || status !== '';
  return (
    <>
      <PageHead title={t(text.allTitle)} hint={t(text.allHint)} actions={<OwedButton />} />
      <Panel flush>
        <DataTable
          name="top-ups"
          label={t(text.allTitle)}
          columns={columns}
          rowId={(row) => String(row.id)}
          query={{ ...orders, data: orders.data?.items }}
          empty={
            <EmptyState
              icon={<Receipt size={20} />}
              title={t(isFiltered ? text.noOrder : text.emptyTitle)}
              hint={isFiltered ? undefined : t(text.allEmptyHint)}
            />
          }
          toolbar={
            <FilterBar
              first={
                <SearchField
                  label={t(text.findOrder)}
                  value={keyword}
                  onChange={(value) => setSearch({ keyword: value.trim(), p: 1 }, { typed: true })}
                />
              }
              usual={
                <ChoiceField
                  aria-label={t(text.orderStatus)}
                  w={150}
                  data={[
                    { value: '', label: t(text.everyStatus) },
                    ...topUpStatuses.map((value) => ({ value, label: t(text[value]) })),
                  ]}
                  value={status}
                  onChange={(value) => setSearch({ status: value, p: 1 })}
                />
              }
            />
          }
          paging={{ ...paging, total: orders.data?.total ?? 0 }}
        />
      </Panel>
    </>
  );
}

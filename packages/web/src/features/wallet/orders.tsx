import type { TopUpData } from '@tollgate/contract';
import { Button, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, Receipt } from 'lucide-react';
import { useMemo } from 'react';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { downloadFile } from '../../lib/format/csv.ts';
import { formatMoney, formatPayment } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { CopyableId } from '../../shared/copy/copyable-id.tsx';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import type { Column } from '../../shared/data-table/types.ts';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { Time } from '../../shared/date-time/time.tsx';
import { MoneyExact } from '../../shared/money/money.tsx';
import { pageParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Dot, type DotTone } from '../../ui/dot.tsx';
import { Nothing } from '../../ui/nothing.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ordersQuery, readInvoice } from './queries.ts';
import { text } from './text.ts';

const tones: Record<TopUpData['status'], DotTone> = {
  pending: 'warn',
  success: 'good',
  expired: 'idle',
  failed: 'bad',
  refunded: 'idle',
};

function Status({ status, refunded }: Pick<TopUpData, 'status' | 'refunded'>) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const words =
    status === 'refunded'
      ? t(text.refundedAmount, { money: formatMoney(refunded, display) })
      : t(text[status]);
  return <Dot tone={tones[status]}>{words}</Dot>;
}

function Method({ method }: { method: string }) {
  const t = useTranslate();
  if (method === 'alipay') return t(text.alipay);
  if (method === 'stripe') return t(text.card);
  if (method === 'auto') return t(text.automatic);
  if (method === 'balance') return t(text.fromBalance);
  if (method === 'gift') return t(text.gift);
  return method === 'wxpay' ? t(text.wechat) : method;
}

/** Nothing for a period of a plan that the balance has paid, or a gift. */
function Paid({ order }: { order: TopUpData }) {
  const language = useLanguage();
  return order.money === 0 ? <Nothing /> : formatPayment(order.money, order.currency, language);
}

/** The reference that users quote in questions about a payment. */
function OrderNumber({ number }: { number: string }) {
  const t = useTranslate();
  return <CopyableId id={number} what={t(text.orderNumber)} />;
}

/** The numbers of the invoice and of the credit note of an order; each downloads its document. */
function Invoices({ order, ofAll = false }: { order: TopUpData; ofAll?: boolean }) {
  const t = useTranslate();
  const download = useMutation({
    mutationFn: async (kind: 'invoice' | 'credit_note') => {
      const file = await readInvoice({ trade_no: order.trade_no, kind }, ofAll);
      downloadFile(`${order[kind].replaceAll(/[^\w.-]/g, '-')}.pdf`, file);
    },
  });
  if (order.invoice === '') return <Nothing />;
  const labels = { invoice: text.downloadInvoice, credit_note: text.downloadCreditNote };
  const kinds = order.credit_note === '' ? (['invoice'] as const) : (['invoice', 'credit_note'] as const);
  return (
    <Group gap={4} wrap="nowrap">
      {kinds.map((kind) => (
        <Button
          key={kind}
          size="compact-xs"
          variant="default"
          leftSection={<Download size={13} />}
          aria-label={t(labels[kind], { number: order[kind] })}
          loading={download.isPending && download.variables === kind}
          onClick={() => download.mutate(kind)}
        >
          {order[kind]}
        </Button>
      ))}
    </Group>
  );
}

/** Shown while an order of the page has an invoice. */
export const invoiceColumn = (
  orders: readonly TopUpData[] | undefined,
  ofAll = false,
): readonly Column<TopUpData>[] =>
  orders?.some(({ invoice }) => invoice !== '')
    ? [
        {
          id: 'invoice',
          title: text.orderInvoice,
          render: (row) => <Invoices order={row} ofAll={ofAll} />,
        },
      ]
    : [];

export const orderColumns: readonly Column<TopUpData>[] = [
  {
    id: 'time',
    title: text.orderTime,
    role: 'title',
    fixed: true,
    render: (row) => <Time at={row.create_time} />,
  },
  {
    id: 'quota',
    title: text.orderQuota,
    align: 'end',
    card: 'corner',
    render: (row) => <MoneyExact quota={row.quota} />,
  },
  { id: 'money', title: text.orderMoney, align: 'end', render: (row) => <Paid order={row} /> },
  { id: 'method', title: text.orderMethod, render: (row) => <Method method={row.payment_method} /> },
  {
    id: 'status',
    title: text.orderStatus,
    card: 'line',
    render: (row) => <Status status={row.status} refunded={row.refunded} />,
  },
  { id: 'number', title: text.orderNumber, render: (row) => <OrderNumber number={row.trade_no} /> },
];

const search = { p: pageParam };

/** The orders of the user, newest first. */
export function Orders() {
  const t = useTranslate();
  const [{ p }, setSearch] = useUrlState(search);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const orders = useQuery(ordersQuery(p, paging.pageSize));
  const items = orders.data?.items;
  const columns = useMemo(() => [...orderColumns, ...invoiceColumn(items)], [items]);
  return (
    <Panel title={t(text.history)} flush>
      <DataTable
        name="orders"
        label={t(text.history)}
        columns={columns}
        rowId={(row) => String(row.id)}
        query={{ ...orders, data: orders.data?.items }}
        empty={
          <EmptyState icon={<Receipt size={20} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
        }
        bare
        paging={{ ...paging, total: orders.data?.total ?? 0 }}
      />
    </Panel>
  );
}

import { Button, Group, Stack, Text } from '@mantine/core';
import { grantApi, type LiabilitiesData, type LiabilityRow, product } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Download, Receipt } from 'lucide-react';
import { call } from '../../lib/api/api-client.ts';
import { useQuotaDisplay, useStatus } from '../../lib/api/status.ts';
import { downloadText, toCsv } from '../../lib/format/csv.ts';
import { formatMoney, formatPayment } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useSourceLabel } from '../../shared/credit-ends/credit-ends.tsx';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import type { Column } from '../../shared/data-table/types.ts';
import { Money } from '../../shared/money/money.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { text } from './text.ts';

function Source({ source }: { source: string }) {
  return useSourceLabel()(source);
}

/** Credit of a source was paid in one currency. */
function Paid({ row: { source, paid } }: { row: LiabilityRow }) {
  const currency = useStatus()?.stripe_currency ?? '';
  return formatPayment(paid, source === 'stripe' ? currency : '', useLanguage());
}

const amountColumn = (id: 'left' | 'bought' | 'given' | 'refundable' | 'expiring'): Column<LiabilityRow> => ({
  id,
  title: text[id],
  align: 'end',
  card: id === 'left' ? 'corner' : undefined,
  render: (row) => <Money quota={row[id]} />,
});

const columns: readonly Column<LiabilityRow>[] = [
  {
    id: 'source',
    title: text.source,
    role: 'title',
    fixed: true,
    render: (row) => <Source source={row.source} />,
  },
  amountColumn('left'),
  amountColumn('bought'),
  {
    id: 'paid',
    title: text.paid,
    align: 'end',
    render: (row) => <Paid row={row} />,
  },
  amountColumn('refundable'),
  amountColumn('given'),
  amountColumn('expiring'),
];

/** What the site owes its users, by source of the credit. */
export function OwedBody() {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const owed = useQuery({
    queryKey: ['liabilities'],
    queryFn: ({ signal }) => call(grantApi.liabilities, {}, { signal }),
  });
  return (
    <Stack gap="md">
      <DataTable
        name="liabilities"
        label={t(text.owedTitle)}
        columns={columns}
        rowId={(row) => row.source}
        query={{ ...owed, data: owed.data?.rows }}
        empty={<EmptyState icon={<Receipt size={20} />} title={t(text.owedNothing)} />}
        bare
      />
      {owed.data && (
        <Group justify="space-between" gap="xs">
          <Text size="sm">{t(text.owedSum, { money: formatMoney(owed.data.balance, display) })}</Text>
          <Button variant="default" leftSection={<Download size={14} />} onClick={() => save(owed.data)}>
            {t(text.csv)}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** The rows as a file: whole quota units, so that they add up. */
function save({ rows }: LiabilitiesData): void {
  const head = ['source', 'left', 'bought', 'paid', 'refundable', 'given', 'expiring'] as const;
  downloadText(
    `${product.id}-liabilities.csv`,
    toCsv([[...head], ...rows.map((row) => head.map((name) => row[name]))]),
    'text/csv',
  );
}

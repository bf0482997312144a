import { Button } from '@mantine/core';
import { noPublishedRatios } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslate } from '../../../../lib/i18n.ts';
import { pricesQuery } from '../../../../shared/prices/tables-query.ts';
import { EmptyState } from '../../../../ui/empty-state.tsx';
import { priceColumns } from './columns.tsx';
import { removeModels, rowsOf, type PriceRow, type PriceTables } from './model-prices.ts';
import { PriceList } from './price-list.tsx';
import { text } from './text.ts';
import { useCostDialog } from './use-cost-dialog.tsx';
import type { AudioTables } from './use-price-tables.ts';

interface PricesProps {
  tables: PriceTables;
  audio: AudioTables;
  write: (next: PriceTables) => void;
}

/** Every priced model as a row, to add, edit and remove. */
export function VisualPrices({ tables, audio, write }: PricesProps) {
  const t = useTranslate();
  const { open, dialog } = useCostDialog({ tables, write });
  const rows = useMemo(() => rowsOf(tables), [tables]);
  const { data: { published = noPublishedRatios } = {} } = useQuery(pricesQuery);
  const columns = useMemo(
    () =>
      priceColumns(
        audio,
        published,
        (row: PriceRow) => open({ kind: 'edit', row }),
        (row: PriceRow) => write(removeModels(tables, [row.name])),
      ),
    [tables, audio, published, write, open],
  );
  return (
    <>
      <PriceList
        name="model-prices"
        label={t(text.visual)}
        columns={columns}
        rows={rows}
        empty={<EmptyState icon={<SearchX size={20} />} title={t(text.nothingFound)} />}
        actions={
          <Button
            variant="default"
            ms="auto"
            leftSection={<Plus size={14} />}
            onClick={() => open({ kind: 'add', taken: rows.map(({ name }) => name) })}
          >
            {t(text.add)}
          </Button>
        }
      />
      {dialog}
    </>
  );
}

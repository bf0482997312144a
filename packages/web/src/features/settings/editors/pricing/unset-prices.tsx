import { Button } from '@mantine/core';
import { channelApi } from '@tollgate/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import { call } from '../../../../lib/api/api-client.ts';
import { useTranslate } from '../../../../lib/i18n.ts';
import { toast } from '../../../../shared/feedback/toast.ts';
import { EmptyState } from '../../../../ui/empty-state.tsx';
import { Notice } from '../../../../ui/notice.tsx';
import classes from '../editors.module.css';
import { unsetColumns } from './columns.tsx';
import { unpriced, type PriceRow, type PriceTables } from './model-prices.ts';
import { PriceList } from './price-list.tsx';
import { text } from './text.ts';
import { useCostDialog } from './use-cost-dialog.tsx';

const enabledQuery = queryOptions({
  queryKey: ['models-enabled'],
  queryFn: ({ signal }) => call(channelApi.enabledModels, {}, { signal }),
});

interface PricesProps {
  tables: PriceTables;
  write: (next: PriceTables) => void;
}

/** Offered models without a price, to price one by one or in bulk. */
export function UnsetPrices({ tables, write }: PricesProps) {
  const t = useTranslate();
  const enabled = useQuery(enabledQuery);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const { open, dialog } = useCostDialog({ tables, write, onApplied: () => setIds(new Set()) });
  const rows = useMemo(
    () =>
      unpriced(enabled.data ?? [], tables).map((name): PriceRow => ({
        name,
        price: null,
        ratio: null,
        completionRatio: null,
      })),
    [enabled.data, tables],
  );
  const columns = useMemo(() => unsetColumns((row: PriceRow) => open({ kind: 'edit', row })), [open]);
  const chosen = rows.map(({ name }) => name).filter((name) => ids.has(name));
  const batch = () =>
    chosen.length === 0 ? toast.bad(t(text.selectFirst)) : open({ kind: 'fill', names: chosen });

  return (
    <>
      <p className={classes.none}>{t(text.unsetHint)}</p>
      {enabled.error && <Notice tone="bad">{t(text.enabledFailed)}</Notice>}
      <PriceList
        name="unset-models"
        label={t(text.unset)}
        columns={columns}
        rows={rows}
        loading={enabled.data === undefined}
        query={enabled}
        selection={{ ids, onChange: setIds }}
        empty={
          <EmptyState
            icon={<CircleCheck size={20} />}
            title={t(text.allPriced)}
            hint={t(text.allPricedHint)}
          />
        }
        actions={
          <Button variant="default" ms="auto" onClick={batch}>
            {t(text.batch)}
          </Button>
        }
      />
      {dialog}
    </>
  );
}

import { Button } from '@mantine/core';
import { Plus, SearchX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSay } from '../../../../lib/i18n.ts';
import { toast } from '../../../../shared/feedback/toast.ts';
import { Blank } from '../../../../ui/blank.tsx';
import { priceColumns } from './columns.tsx';
import { CostDialog, type CostTask } from './cost-dialog.tsx';
import { removeModels, rowsOf, setCost, type PriceRow, type PriceTables } from './model-prices.ts';
import { PriceList } from './price-list.tsx';
import { text } from './text.ts';
import type { AudioTables } from './use-price-tables.ts';

interface PricesProps {
  tables: PriceTables;
  audio: AudioTables;
  write: (next: PriceTables) => void;
}

/** Every priced model as a row, to add, edit and remove. */
export function VisualPrices({ tables, audio, write }: PricesProps) {
  const say = useSay();
  const [task, setTask] = useState<CostTask | null>(null);
  const rows = useMemo(() => rowsOf(tables), [tables]);
  const columns = useMemo(
    () =>
      priceColumns(
        audio,
        (row: PriceRow) => setTask({ kind: 'edit', row }),
        (row: PriceRow) => write(removeModels(tables, [row.name])),
      ),
    [tables, audio, write],
  );
  return (
    <>
      <PriceList
        name="model-prices"
        label={say(text.visual)}
        columns={columns}
        rows={rows}
        empty={<Blank icon={<SearchX size={20} />} title={say(text.nothingFound)} />}
        actions={
          <Button
            variant="default"
            ms="auto"
            leftSection={<Plus size={14} />}
            onClick={() => setTask({ kind: 'add', taken: rows.map(({ name }) => name) })}
          >
            {say(text.add)}
          </Button>
        }
      />
      {task && (
        <CostDialog
          task={task}
          onClose={() => setTask(null)}
          onApply={(names, cost) => {
            write(setCost(tables, names, cost));
            setTask(null);
            toast.good(say(text.applied));
          }}
        />
      )}
    </>
  );
}

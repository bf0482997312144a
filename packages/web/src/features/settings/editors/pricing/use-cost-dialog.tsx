import { type ReactNode, useState } from 'react';
import { useTranslate } from '../../../../lib/i18n.ts';
import { toast } from '../../../../shared/feedback/toast.ts';
import { CostDialog, type CostTask } from './cost-dialog.tsx';
import { type PriceTables, setCost } from './model-prices.ts';
import { text } from './text.ts';

interface Prices {
  tables: PriceTables;
  write: (next: PriceTables) => void;
  /** Called after the tables have the new cost. */
  onApplied?: () => void;
}

/** The dialog over a list of prices, and a function that opens it for a task. */
export function useCostDialog({ tables, write, onApplied }: Prices): {
  open: (task: CostTask) => void;
  dialog: ReactNode;
} {
  const t = useTranslate();
  const [task, open] = useState<CostTask | null>(null);
  const dialog = task && (
    <CostDialog
      task={task}
      onClose={() => open(null)}
      onApply={(names, cost) => {
        write(setCost(tables, names, cost));
        onApplied?.();
        open(null);
        toast.good(t(text.applied));
      }}
    />
  );
  return { open, dialog };
}

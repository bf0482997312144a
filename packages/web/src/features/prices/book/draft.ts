import {
  entriesOf,
  type PriceChange,
  type PriceTables,
  priceTableKeys,
  type SeenPriceChange,
  withPriceChanges,
} from '@tollgate/contract';
import { useCallback, useMemo, useState } from 'react';

/** Unsaved price changes, step by step. */
export interface PriceDraft {
  /** The tables after all steps. */
  tables: PriceTables;
  /** The changes to save, each model once, with its values at the time of the change. */
  changes: SeenPriceChange[];
  apply: (step: readonly PriceChange[]) => void;
  undo: () => void;
  discard: () => void;
}

/** The differences between two sets of tables, by model. */
function differencesOf(before: PriceTables, after: PriceTables, models: Iterable<string>): SeenPriceChange[] {
  return [...new Set(models)].flatMap((model) => {
    const [was, is] = [entriesOf(before, model), entriesOf(after, model)];
    const keys = priceTableKeys.filter((key) => was[key] !== is[key]);
    if (keys.length === 0) return [];
    const pick = (entries: typeof was) => Object.fromEntries(keys.map((key) => [key, entries[key] ?? null]));
    return [{ model, set: pick(is), seen: pick(was) }];
  });
}

/** A draft over the stored tables. */
export function usePriceDraft(stored: PriceTables): PriceDraft {
  const [steps, setSteps] = useState<readonly (readonly PriceChange[])[]>([]);
  const made = useMemo(() => {
    const { tables } = withPriceChanges(stored, steps.flat());
    const changes = differencesOf(
      stored,
      tables,
      steps.flat().map(({ model }) => model),
    );
    return { tables, changes };
  }, [stored, steps]);
  const apply = useCallback((step: readonly PriceChange[]) => setSteps((all) => [...all, step]), []);
  const undo = useCallback(() => setSteps((all) => all.slice(0, -1)), []);
  const discard = useCallback(() => setSteps([]), []);
  return { ...made, apply, undo, discard };
}

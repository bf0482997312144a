import { type PriceChange, type PriceTables, withPriceChanges } from '@tollgate/contract';
import { Suspense, useMemo } from 'react';
import { lazy } from '../../../lib/lazy.ts';

const PriceRehearsal = lazy(async () => ({
  default: (await import('../../../shared/price-rehearsal/price-rehearsal.tsx')).PriceRehearsal,
}));

interface RehearsalProps {
  /** The tables as they are stored. */
  stored: PriceTables;
  /** The unsaved values; must keep its identity while it is unchanged. */
  changes: readonly PriceChange[];
}

/** Rehearses price changes on past usage before they are saved; hidden without changes. */
export function Rehearsal({ stored, changes }: RehearsalProps) {
  const texts = useMemo(() => {
    const { tables, changed } = withPriceChanges(stored, changes);
    return changed.map((key) => [key, JSON.stringify(tables[key])] as const);
  }, [stored, changes]);
  if (texts.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <PriceRehearsal changes={texts} />
    </Suspense>
  );
}

import { type PriceChange, type PriceTables, withPriceChanges } from '@tollgate/contract';
import { Suspense, useMemo } from 'react';
import { lazy } from '../../../lib/lazy.ts';

const PriceRehearsal = lazy(async () => ({
  default: (await import('../../../shared/price-rehearsal/price-rehearsal.tsx')).PriceRehearsal,
}));

interface RehearsalProps {
  /** The tables as they are stored. */
  stored: PriceTables;
  /** What would be written; must keep its identity while it stays the same. */
  changes: readonly PriceChange[];
}

/** Tries changes of the tables on past usage before they are written; nothing while there are none. */
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

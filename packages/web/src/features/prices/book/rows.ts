import {
  type DollarPrice,
  dollarsOf,
  entriesOf,
  isPricedIn,
  pricedName,
  type PriceEntries,
  type PriceTables,
  ratiosIn,
  type PriceRatios,
} from '@tollgate/contract';

/** A model with what it costs, as the tables say. */
export interface PriceRow {
  model: string;
  /** True when an enabled channel offers it. */
  served: boolean;
  priced: boolean;
  dollars: DollarPrice;
  ratios: PriceRatios;
  /** Its own entries; the rest comes from its family. */
  entries: PriceEntries;
}

export type Shown = 'all' | 'served' | 'unpriced';

/** Every model that is offered or priced: those on offer first, and of them those without a price. */
export function rowsOf(tables: PriceTables, served: readonly string[], quotaPerUnit: number): PriceRow[] {
  const offered = new Set(served.map(pricedName));
  const names = new Set([...offered, ...Object.keys(tables.ModelPrice), ...Object.keys(tables.ModelRatio)]);
  return [...names]
    .map((model) => rowOf(tables, model, offered.has(model), quotaPerUnit))
    .toSorted(
      (a, b) =>
        Number(b.served) - Number(a.served) ||
        Number(a.priced) - Number(b.priced) ||
        (a.model < b.model ? -1 : 1),
    );
}

function rowOf(tables: PriceTables, model: string, served: boolean, quotaPerUnit: number): PriceRow {
  const ratios = ratiosIn(tables, model);
  const priced = isPricedIn(tables, model);
  return {
    model,
    served,
    priced,
    ratios,
    dollars: priced ? dollarsOf(ratios, quotaPerUnit) : {},
    entries: entriesOf(tables, model),
  };
}

/** The rows that somebody looks for. */
export function rowsShown(rows: readonly PriceRow[], keyword: string, show: Shown): PriceRow[] {
  const wanted = keyword.trim().toLowerCase();
  return rows.filter(
    (row) =>
      row.model.toLowerCase().includes(wanted) &&
      (show === 'all' || (row.served && (show === 'served' || !row.priced))),
  );
}

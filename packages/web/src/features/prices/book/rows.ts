import {
  type AnnouncedRatio,
  type DollarPrice,
  dollarsOf,
  entriesOf,
  isPricedIn,
  pricedName,
  type PriceEntries,
  type PriceTables,
  type PublishedRatios,
  ratiosIn,
  type PriceRatios,
} from '@tollgate/contract';

/** A model with its prices from the tables. */
export interface PriceRow {
  model: string;
  /** True if an enabled channel offers it. */
  served: boolean;
  priced: boolean;
  dollars: DollarPrice;
  ratios: PriceRatios;
  /** Its own entries; other values come from its family. */
  entries: PriceEntries;
  announced?: AnnouncedPrice;
}

/** The vendor's announced prices, in US dollars per million tokens. */
export interface AnnouncedPrice {
  /** In effect from the start of this day in UTC, YYYY-MM-DD. */
  day: string;
  input: number;
  output: number;
  /** True if it is applied automatically on its day. */
  follows: boolean;
}

/** Published and announced vendor prices of models in the tables. */
export interface Known {
  published: PublishedRatios;
  announced: readonly AnnouncedRatio[];
  /** True if announced prices are applied automatically. */
  follows: boolean;
}

export type Shown = 'all' | 'served' | 'unpriced';

/** Every model that is offered, priced or requested: offered ones first, and among them those without a price. */
export function rowsOf(
  tables: PriceTables,
  served: readonly string[],
  quotaPerUnit: number,
  { announced, follows, published }: Known,
  asked: readonly string[] = [],
): PriceRow[] {
  const offered = new Set(served.map(pricedName));
  const soonOf = new Map(announced.map((each) => [each.model, each]));
  const names = new Set([
    ...asked,
    ...offered,
    ...Object.keys(tables.ModelPrice),
    ...Object.keys(tables.ModelRatio),
  ]);
  return [...names]
    .map((model) => {
      const row = rowOf(tables, model, offered.has(model), quotaPerUnit, published);
      const soon = row.dollars.call === undefined && soonOf.get(model);
      return soon ? { ...row, announced: announcedPrice(row, soon, quotaPerUnit, follows) } : row;
    })
    .toSorted(
      (a, b) =>
        Number(b.served) - Number(a.served) ||
        Number(a.priced) - Number(b.priced) ||
        (a.model < b.model ? -1 : 1),
    );
}

function rowOf(
  tables: PriceTables,
  model: string,
  served: boolean,
  quotaPerUnit: number,
  published: PublishedRatios,
): PriceRow {
  const ratios = ratiosIn(tables, model, published);
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

function announcedPrice(
  { ratios }: PriceRow,
  { day, ratio }: AnnouncedRatio,
  quotaPerUnit: number,
  follows: boolean,
): AnnouncedPrice {
  const { input = 0, output = 0 } = dollarsOf({ ...ratios, modelRatio: ratio }, quotaPerUnit);
  return { day, input, output, follows };
}

/** The rows that match a search; for given names only their rows. */
export function rowsShown(
  rows: readonly PriceRow[],
  keyword: string,
  show: Shown,
  asked: readonly string[],
): PriceRow[] {
  const wanted = keyword.trim().toLowerCase();
  const only = new Set(asked);
  return rows.filter(
    (row) =>
      (only.size === 0 || only.has(row.model)) &&
      row.model.toLowerCase().includes(wanted) &&
      (show === 'all' || (row.served && (show === 'served' || !row.priced))),
  );
}

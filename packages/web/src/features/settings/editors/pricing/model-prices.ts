import { isPricedIn } from '@tollgate/contract';
import { priceKeys } from './price-keys.ts';

/** A table of the settings: model → number. */
export type Table = Readonly<Record<string, number>>;

/** The three tables that define a model's cost. */
export interface PriceTables {
  ModelPrice: Table;
  ModelRatio: Table;
  CompletionRatio: Table;
}

/** Cost of one model: dollars per call, or ratios of its tokens. */
export type ModelCost =
  | { mode: 'request'; price: number }
  | { mode: 'token'; ratio: number; completionRatio: number | null };

/** A row of the table of prices. */
export interface PriceRow {
  name: string;
  price: number | null;
  ratio: number | null;
  completionRatio: number | null;
}

/** Dollars per million input tokens of ratio 1. */
const dollarsPerRatio = 2;

/** Rounds products of decimals to 12 digits, more than any price has, to remove binary fractions. */
const tidy = (value: number) => Number(value.toPrecision(12));

/** Ratio → dollars per million tokens. */
export const dollarsOf = (ratio: number): number => tidy(ratio * dollarsPerRatio);
/** Dollars per million tokens → ratio. */
export const ratioOf = (dollars: number): number => tidy(dollars / dollarsPerRatio);
/** Dollars per million output tokens of a model with these ratios. */
export const outputDollarsOf = (ratio: number, completionRatio: number): number =>
  tidy(ratio * dollarsPerRatio * completionRatio);
/** The completion ratio of two prices; null if the input is free. */
export const completionRatioOf = (inputDollars: number, outputDollars: number): number | null =>
  inputDollars === 0 ? null : tidy(outputDollars / inputDollars);

const entryOf = (table: Table, name: string) => (Object.hasOwn(table, name) ? (table[name] ?? null) : null);

/** Every model in any of the tables, by name. */
export function rowsOf(tables: PriceTables): PriceRow[] {
  const names = new Set(priceKeys.flatMap((key) => Object.keys(tables[key])));
  return [...names].toSorted().map((name) => ({
    name,
    price: entryOf(tables.ModelPrice, name),
    ratio: entryOf(tables.ModelRatio, name),
    completionRatio: entryOf(tables.CompletionRatio, name),
  }));
}

const without = (table: Table, names: ReadonlySet<string>): Table =>
  Object.fromEntries(Object.entries(table).filter(([name]) => !names.has(name)));

const withAll = (table: Table, names: readonly string[], value: number): Table => ({
  ...table,
  ...Object.fromEntries(names.map((name) => [name, value])),
});

/** Sets costs of models: a price per call clears their ratios, ratios clear the price. */
export function setCost(tables: PriceTables, names: readonly string[], cost: ModelCost): PriceTables {
  const cleared = removeModels(tables, names);
  if (cost.mode === 'request')
    return { ...cleared, ModelPrice: withAll(cleared.ModelPrice, names, cost.price) };
  return {
    ...cleared,
    ModelRatio: withAll(cleared.ModelRatio, names, cost.ratio),
    CompletionRatio:
      cost.completionRatio === null
        ? cleared.CompletionRatio
        : withAll(cleared.CompletionRatio, names, cost.completionRatio),
  };
}

/** Removes the costs of models. */
export function removeModels(tables: PriceTables, names: readonly string[]): PriceTables {
  const gone = new Set(names);
  return {
    ModelPrice: without(tables.ModelPrice, gone),
    ModelRatio: without(tables.ModelRatio, gone),
    CompletionRatio: without(tables.CompletionRatio, gone),
  };
}

/** Models that channels offer and no table prices. */
export function unpriced(enabled: readonly string[], tables: PriceTables): string[] {
  return [...new Set(enabled)].filter((name) => !isPricedIn(tables, name)).toSorted();
}

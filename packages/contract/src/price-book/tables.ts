import {
  audioCompletionRatioFor,
  audioRatioFor,
  cacheRatioFor,
  completionRatioFor,
  generalCreateCacheRatio,
  imageCompletionRatioFor,
  imageRatioFor,
  needsCallPrice,
  pricedName,
  type PublishedRatios,
  unsetModelRatio,
} from '../prices/index.ts';
import { bareName } from '../model-names.ts';
import type { PriceSnapshot } from '../price-units.ts';
import { type PriceTableKey, priceTableKeys } from './keys.ts';

export { type PriceTableKey, priceTableKeys } from './keys.ts';

export type PriceTable = Readonly<Record<string, number>>;
export type PriceTables = Readonly<Record<PriceTableKey, PriceTable>>;

/** Table entries of one model. A key is missing if its table does not have the model. */
export type PriceEntries = Partial<Record<PriceTableKey, number>>;

/** Entries to write for a model; null removes an entry. Tables without a key here stay unchanged. */
export interface PriceChange {
  model: string;
  set: Partial<Record<PriceTableKey, number | null>>;
}

const has = (table: PriceTable, name: string): boolean => Object.hasOwn(table, name);

/** Entries of one model, under the name with its price. */
export function entriesOf(tables: PriceTables, model: string): PriceEntries {
  const name = pricedName(model);
  return Object.fromEntries(
    priceTableKeys.filter((key) => has(tables[key], name)).map((key) => [key, tables[key][name]]),
  ) as PriceEntries;
}

/** The tables that decide if a model has a price. */
type PricedIn = Pick<PriceTables, 'ModelPrice' | 'ModelRatio'>;

/**
 * Name with the price of a model: its own name, otherwise the name without its suffix
 * (docs/compatibility.md#name-suffixes); undefined if neither has one.
 */
function nameWithPrice(tables: PricedIn, model: string): string | undefined {
  let name: string | undefined = pricedName(model);
  while (name !== undefined && !has(tables.ModelPrice, name) && !has(tables.ModelRatio, name)) {
    name = bareName(name);
  }
  return name;
}

/** Name under which a model is charged. */
export const chargedName = (tables: PricedIn, model: string): string =>
  nameWithPrice(tables, model) ?? pricedName(model);

/**
 * True if a model has a price that its calls can be charged at, under its own name or its name without a suffix: a price
 * per call, or a ratio unless its calls are tasks.
 */
export function isPricedIn(tables: PricedIn, model: string): boolean {
  const name = nameWithPrice(tables, model);
  return name !== undefined && (has(tables.ModelPrice, name) || !needsCallPrice(model));
}

/**
 * Applies changes to the tables. Returns the tables and the keys of the changed ones. Unchanged tables stay the same
 * objects.
 */
export function withPriceChanges(
  tables: PriceTables,
  changes: readonly PriceChange[],
): { tables: PriceTables; changed: PriceTableKey[] } {
  const drafts = new Map<PriceTableKey, Map<string, number>>();
  for (const { model, set } of changes) {
    const name = pricedName(model);
    for (const key of priceTableKeys) {
      const value = set[key];
      const draft = drafts.get(key);
      const now = draft ? draft.get(name) : has(tables[key], name) ? tables[key][name] : undefined;
      if (value === undefined || (value ?? undefined) === now) continue;
      const table = draft ?? new Map(Object.entries(tables[key]));
      drafts.set(key, table);
      if (value === null) table.delete(name);
      else table.set(name, value);
    }
  }
  const written = [...drafts].map(([key, table]) => [key, Object.fromEntries(table)] as const);
  return { tables: { ...tables, ...Object.fromEntries(written) }, changed: [...drafts.keys()] };
}

/** Fields of a snapshot that the tables decide. */
export type PriceRatios = Pick<
  PriceSnapshot,
  | 'mode'
  | 'modelRatio'
  | 'completionRatio'
  | 'cacheRatio'
  | 'cacheWriteRatio'
  | 'imageRatio'
  | 'imageCompletionRatio'
  | 'audioRatio'
  | 'audioCompletionRatio'
  | 'modelPrice'
  | 'unset'
>;

/**
 * First name with an entry in a table of cache prices: the model's own name, then its names without suffixes;
 * undefined without an entry. An effort of a model reads the same cache as the model, even with a price of its own.
 */
function nameWithCache(table: PriceTable, model: string): string | undefined {
  let name: string | undefined = pricedName(model);
  while (name !== undefined && !has(table, name)) name = bareName(name);
  return name;
}

/**
 * Ratios of a model (docs/compatibility.md#price-lookup): a fixed price if set, otherwise the table entries,
 * otherwise the vendor's or the family's ratios. A model without any gets the fallback ratio and `unset`.
 */
export function ratiosIn(tables: PriceTables, model: string, published: PublishedRatios): PriceRatios {
  const own = pricedName(model);
  const charged = chargedName(tables, model);
  /** Entries of the name with its suffix count even if the price is that of another name. */
  const nameIn = (key: PriceTableKey) => (has(tables[key], own) ? own : charged);
  const entry = (key: PriceTableKey) =>
    has(tables[key], nameIn(key)) ? tables[key][nameIn(key)] : undefined;
  const modelPrice = entry('ModelPrice');
  const modelRatio = entry('ModelRatio');
  const written = nameWithCache(tables.CreateCacheRatio, model);
  const imageCompletionRatio = imageCompletionRatioFor(
    nameIn('ImageCompletionRatio'),
    tables.ImageCompletionRatio,
    published,
  );
  return {
    mode: modelPrice === undefined ? 'ratio' : 'call',
    modelRatio: modelPrice === undefined ? (modelRatio ?? unsetModelRatio) : 0,
    completionRatio: completionRatioFor(nameIn('CompletionRatio'), tables.CompletionRatio, published),
    cacheRatio: cacheRatioFor(
      nameWithCache(tables.CacheRatio, model) ?? charged,
      tables.CacheRatio,
      published,
    ),
    cacheWriteRatio: written === undefined ? generalCreateCacheRatio : tables.CreateCacheRatio[written]!,
    imageRatio: imageRatioFor(nameIn('ImageRatio'), tables.ImageRatio, published),
    ...(imageCompletionRatio !== undefined && { imageCompletionRatio }),
    audioRatio: audioRatioFor(nameIn('AudioRatio'), tables.AudioRatio, published),
    audioCompletionRatio: audioCompletionRatioFor(
      nameIn('AudioCompletionRatio'),
      tables.AudioCompletionRatio,
      published,
    ),
    modelPrice: modelPrice ?? -1,
    unset: modelPrice === undefined && modelRatio === undefined,
  };
}

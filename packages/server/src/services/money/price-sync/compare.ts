import {
  dearest,
  type DollarPrice,
  dollarsOf,
  entriesFor,
  entriesOf,
  isJump,
  isPricedIn,
  pricedName,
  type PriceEntries,
  type PriceOffer,
  type PriceSourceName,
  type PriceTableKey,
  type PriceTables,
  priceTableKeys,
  publishedRatios,
  ratiosIn,
  type SyncRow,
  withPriceChanges,
} from '@tollgate/contract';
import { type FindModel, type Found, samePrice } from './name-index.ts';

/** The prices of this site, and the affected models. */
export interface Here {
  tables: PriceTables;
  /** Models that enabled channels offer. */
  served: readonly string[];
  quotaPerUnit: number;
}

/** Lists that were read, by their names. */
export type Lists = ReadonlyMap<PriceSourceName, FindModel>;

export interface Comparison {
  rows: SyncRow[];
  /** Models with the same price in every list. */
  same: number;
  unlisted: string[];
}

/** Compares the lists' prices of models that are offered or priced here. Offered ones come first, by name. */
export function compare(here: Here, lists: Lists): Comparison {
  const served = new Set(here.served.map(pricedName));
  const priced = [...Object.keys(here.tables.ModelPrice), ...Object.keys(here.tables.ModelRatio)];
  const others = new Set(priced.filter((model) => !served.has(model)));
  const unlisted: string[] = [];
  const rows: SyncRow[] = [];
  let same = 0;
  for (const model of [...[...served].toSorted(), ...[...others].toSorted()]) {
    const row = rowOf(model, served.has(model), here, lists);
    if (row === undefined) {
      if (served.has(model) && !isPricedIn(here.tables, model)) unlisted.push(model);
    } else if (row.state === 'same' && row.offers.length === 1) same += 1;
    else rows.push(row);
  }
  return { rows, same, unlisted };
}

/** Undefined for a model without a price in any list. */
function rowOf(model: string, served: boolean, here: Here, lists: Lists): SyncRow | undefined {
  const found = [...lists].flatMap(([source, find]) => {
    const listed = find(model);
    return listed?.dollars ? [{ source, vendor: listed.vendor, dollars: listed.dollars }] : [];
  });
  if (found.length === 0) return undefined;
  const { tables, quotaPerUnit } = here;
  const today = isPricedIn(tables, model)
    ? dollarsOf(ratiosIn(tables, model, publishedRatios), quotaPerUnit)
    : null;
  const offers = agreeing(found).map((group) => offerOf(model, group, today, here));
  const [first, second] = offers;
  const decided = second === undefined || (first?.sources.length ?? 0) > second.sources.length;
  const matters = decided ? offers.slice(0, 1) : offers;
  const isToday = today !== null && matters.some(({ set }) => isPriceNow(tables, model, set));
  return {
    model,
    vendor: found[0]?.vendor ?? '',
    served,
    state: isToday ? 'same' : today === null ? 'new' : 'change',
    today,
    seen: entriesOf(tables, model),
    offers,
    decided,
  };
}

interface Agreed {
  sources: PriceSourceName[];
  dollars: DollarPrice;
}

/**
 * Groups of lists with the same price, the largest group first; fields that one list lacks are filled from the others.
 */
function agreeing(found: readonly (Found & { source: PriceSourceName; dollars: DollarPrice })[]): Agreed[] {
  const groups: Agreed[] = [];
  for (const { source, dollars } of found) {
    const group = groups.find((each) => samePrice(each.dollars, dollars));
    if (group) {
      group.sources.push(source);
      group.dollars = { ...dollars, ...group.dollars };
    } else groups.push({ sources: [source], dollars });
  }
  return groups.toSorted((a, b) => b.sources.length - a.sources.length);
}

function offerOf(
  model: string,
  { sources, dollars }: Agreed,
  today: DollarPrice | null,
  { tables, quotaPerUnit }: Here,
): PriceOffer {
  const entries = entriesFor(dollars, quotaPerUnit);
  const set: PriceOffer['set'] = { ...entries };
  // A price per call would take precedence over the ratios.
  if (dollars.call === undefined && entriesOf(tables, model).ModelPrice !== undefined) set.ModelPrice = null;
  const after = dollarsOf(
    ratiosIn(withPriceChanges(tables, [{ model, set }]).tables, model, publishedRatios),
    quotaPerUnit,
  );
  const dearer = today === null ? null : dearest(today, after);
  return {
    sources,
    dollars,
    set,
    dearer: dearer === null || Number.isFinite(dearer) ? dearer : null,
    needs_own: isJump(today, after),
  };
}

/** A ratio's name in a snapshot. */
const ratioNames = {
  ModelPrice: 'modelPrice',
  ModelRatio: 'modelRatio',
  CompletionRatio: 'completionRatio',
  CacheRatio: 'cacheRatio',
  CreateCacheRatio: 'cacheWriteRatio',
  ImageRatio: 'imageRatio',
  ImageCompletionRatio: 'imageCompletionRatio',
  AudioRatio: 'audioRatio',
  AudioCompletionRatio: 'audioCompletionRatio',
} as const satisfies Record<PriceTableKey, string>;

/**
 * Tables have thirds and similar values with few decimals; a difference of a hundred-thousandth is not another price.
 */
const closeEnough = 1e-5;

/** True if calls are charged as before: missing entries have the ratio of their family. */
function isPriceNow(tables: PriceTables, model: string, set: PriceOffer['set']): boolean {
  const ratios = ratiosIn(tables, model, publishedRatios);
  return priceTableKeys.every((key) => {
    const wanted = set[key];
    if (wanted === undefined) return true;
    if (wanted === null) return false;
    const now = ratios[ratioNames[key]] ?? ratios.completionRatio;
    return Math.abs(now - wanted) <= wanted * closeEnough;
  });
}

/** Number of models with a price here and in a list that also lists them as free. */
export function trustOf(find: FindModel, tables: PriceTables): { priced: number; free: number } {
  const costs = (entries: PriceEntries) => (entries.ModelPrice ?? entries.ModelRatio ?? 0) > 0;
  const models = [...new Set([...Object.keys(tables.ModelPrice), ...Object.keys(tables.ModelRatio)])];
  const found = models.filter((model) => costs(entriesOf(tables, model))).map(find);
  return {
    priced: found.filter((each) => each?.dollars).length,
    free: found.filter((each) => each?.dollars === null).length,
  };
}

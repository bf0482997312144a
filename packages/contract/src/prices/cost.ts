import { ratioDigits, scaledRatio } from '../price-decimal.ts';
import { prepareSnapshot, type PriceSnapshot } from '../price.ts';
import { maxQuota } from '../quota.ts';

/** What a vendor takes for a model, in US dollars: for a call, or for a million tokens. */
export interface CostPrice {
  /** For each call; tokens then cost nothing of their own. */
  call?: number | undefined;
  /** For a million tokens of plain input. */
  input?: number | undefined;
  output?: number | undefined;
  /** Absent where it stands to the input as on the price list; so does `cache_write`. */
  cache_read?: number | undefined;
  cache_write?: number | undefined;
}

/**
 * What the calls of a channel cost its operator. What the vendor reports comes first, then the table by the name of the
 * model, then the factor; a call that none of them covers has no known cost.
 */
export interface CostRule {
  /** Of the list price, which is the price of the model without the ratio of any group; null for none. */
  factor: number | null;
  /** By the name that the vendor knows, or the one that callers use. */
  models: Record<string, CostPrice>;
  /** Vendors who tell in each answer what it cost are believed. */
  reported: boolean;
}

/** A channel of which nothing is known. */
export const noCostRule: CostRule = { factor: null, models: {}, reported: false };

/** The list price at a factor, as prices that the billing function takes. */
export const factorSnapshot = (list: PriceSnapshot, factor: number): PriceSnapshot =>
  prepareSnapshot({ ...list, groupRatio: factor });

/**
 * A vendor's own prices in the terms of the billing function. What the vendor's table does not name, as sound and images,
 * stands to the input as on the price list. Ratios have nine decimal places, as everywhere.
 */
export function tableSnapshot(list: PriceSnapshot, cost: CostPrice): PriceSnapshot {
  const { call, input = 0, output = 0, cache_read: read, cache_write: write } = cost;
  const base = { ...list, groupRatio: 1, unset: false };
  if (call !== undefined) return prepareSnapshot({ ...base, mode: 'call', modelRatio: 0, modelPrice: call });
  const times = (dollars: number | undefined, other: number): number =>
    dollars === undefined || input === 0 ? other : dollars / input;
  return prepareSnapshot({
    ...base,
    mode: 'ratio',
    modelPrice: -1,
    modelRatio: (input * list.quotaPerUnit) / 1_000_000,
    completionRatio: times(output, 1),
    cacheRatio: times(read, list.cacheRatio),
    cacheWriteRatio: times(write, list.cacheWriteRatio),
    cacheWrite1hRatio:
      write === undefined || list.cacheWriteRatio === 0
        ? list.cacheWrite1hRatio
        : times(write, 1) * (list.cacheWrite1hRatio / list.cacheWriteRatio),
  });
}

/**
 * Dollars that a vendor reported for a call, in quota units: rounded half away from zero, at least 1 where they are more
 * than nothing, as a charge is. Null for what is no amount.
 */
export function quotaOfDollars(dollars: number, quotaPerUnit: number): number | null {
  if (!Number.isFinite(dollars) || dollars < 0 || dollars >= 1e9) return null;
  const scale = 10n ** BigInt(2 * ratioDigits);
  const exact = scaledRatio(dollars, 'cost') * scaledRatio(quotaPerUnit, 'quotaPerUnit');
  const rounded = (exact + scale / 2n) / scale;
  if (rounded > BigInt(maxQuota)) return maxQuota;
  return rounded === 0n && exact > 0n ? 1 : Number(rounded);
}

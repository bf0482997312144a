import { ratioDigits, scaledRatio } from '../price-decimal.ts';
import { prepareSnapshot, type PriceSnapshot } from '../price.ts';
import { maxQuota } from '../quota.ts';

/** A vendor's price of a model in US dollars: per call, or per million tokens. */
export interface CostPrice {
  /** Per call; tokens are then free. */
  call?: number | undefined;
  /** For a million tokens of plain input. */
  input?: number | undefined;
  output?: number | undefined;
  /** Absent if its ratio to the input is that of the price list; the same for `cache_write`. */
  cache_read?: number | undefined;
  cache_write?: number | undefined;
}

/**
 * Cost prices of a channel for its operator. The vendor's report comes first, then the table by model name, then the
 * factor; a call without any of them has no known cost.
 */
export interface CostRule {
  /** Of the list price, which is the price of the model without the ratio of any group; null for none. */
  factor: number | null;
  /** By the name that the vendor knows, or the one that callers use. */
  models: Record<string, CostPrice>;
  /** The reports of vendors that state the cost in each answer are used. */
  reported: boolean;
}

/** A channel without cost prices. */
export const noCostRule: CostRule = { factor: null, models: {}, reported: false };

/** The list price at a factor, as prices that the billing function takes. */
export const factorSnapshot = (list: PriceSnapshot, factor: number): PriceSnapshot =>
  prepareSnapshot({ ...list, groupRatio: factor });

/**
 * A vendor's prices in the terms of the billing function. Kinds without an entry, such as sound and images, have the
 * price list's ratio to the input. Ratios have nine decimal places.
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
 * A vendor's reported dollars in quota units: rounded half away from zero, at least 1 if above zero, as a charge is.
 * Null for other values.
 */
export function quotaOfDollars(dollars: number, quotaPerUnit: number): number | null {
  if (!Number.isFinite(dollars) || dollars < 0 || dollars >= 1e9) return null;
  const scale = 10n ** BigInt(2 * ratioDigits);
  const exact = scaledRatio(dollars, 'cost') * scaledRatio(quotaPerUnit, 'quotaPerUnit');
  const rounded = (exact + scale / 2n) / scale;
  if (rounded > BigInt(maxQuota)) return maxQuota;
  return rounded === 0n && exact > 0n ? 1 : Number(rounded);
}

import { ratioDigits, scaledRatio } from '../price-decimal.ts';
import { prepareSnapshot, type PriceSnapshot } from '../price.ts';
import { maxQuota } from '../quota.ts';

/** A vendor's price of a model in US dollars: per call, or per million tokens. */
export interface CostPrice {
  /** Price per call. Tokens are then free. */
  call?: number | undefined;
  /** Price per million tokens of plain input. */
  input?: number | undefined;
  output?: number | undefined;
  /** Absent if the price list's ratio to the input applies; the same holds for `cache_write`. */
  cache_read?: number | undefined;
  cache_write?: number | undefined;
}

/**
 * Cost prices of a channel for its operator. The vendor's report has priority, then the table by model name, then the
 * factor. The cost of a call without any of them is unknown.
 */
export interface CostRule {
  /** Factor on the list price, the model's price without a group ratio; null for none. */
  factor: number | null;
  /** Prices by the vendor's name or the callers' name of a model. */
  models: Record<string, CostPrice>;
  /** True if costs in the vendor's answers are used. */
  reported: boolean;
}

/** A channel without cost prices. */
export const noCostRule: CostRule = { factor: null, models: {}, reported: false };

/** The list price × a factor, as a snapshot for the billing function. */
export const factorSnapshot = (list: PriceSnapshot, factor: number): PriceSnapshot =>
  prepareSnapshot({ ...list, groupRatio: factor });

/**
 * A vendor's prices as a snapshot for the billing function. Kinds without an entry, such as audio and images, have
 * the price list's ratio to the input. Ratios have nine decimal places.
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
 * A vendor's reported dollars in quota units: rounded half away from zero; at least 1 if above zero, like a charge.
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

/** Quota units in one US dollar (specification 1, section 9). The option QuotaPerUnit only changes how amounts are shown and bought. */
export const defaultQuotaPerUnit = 500_000;

/** Amounts offered as buttons, in quota units (specification 2, section 9). */
export const quotaPresets = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000] as const;

/** The largest amount of quota any field accepts: a quarter of what a JavaScript number holds exactly, so sums stay exact. */
export const maxQuota = Math.floor(Number.MAX_SAFE_INTEGER / 4);

/**
 * An amount of quota in words, as the console shows it (specification 1, section 9):
 * dollars with `digits` decimals, or a number shortened with k, M, B from 10,000 up.
 */
export function showQuota(
  quota: number,
  options: { inCurrency: boolean; perUnit: number; digits?: number },
): string {
  if (options.inCurrency) {
    const dollars = quota / options.perUnit;
    const sign = dollars < 0 ? '-' : '';
    return `${sign}$${Math.abs(dollars).toFixed(options.digits ?? 2)}`;
  }
  return shortNumber(quota);
}

/** 10,000 → 10k, 1,500,000 → 1.5M; smaller numbers as they are. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${trimZero(value / 1e9)}B`;
  if (size >= 1e6) return `${trimZero(value / 1e6)}M`;
  if (size >= 1e4) return `${trimZero(value / 1e3)}k`;
  return String(value);
}

const trimZero = (value: number) => value.toFixed(1).replace(/\.0$/, '');

/** An amount in log texts (wire-facts 6.7): `＄0.200000 额度` or `100000 点额度`. */
export function logQuota(quota: number, options: { inCurrency: boolean; perUnit: number }): string {
  return options.inCurrency ? `＄${(quota / options.perUnit).toFixed(6)} 额度` : `${quota} 点额度`;
}

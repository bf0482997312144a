/** Quota units in one US dollar. The option QuotaPerUnit only changes the display and the purchase of amounts. */
export const defaultQuotaPerUnit = 500_000;

/** Amounts on buttons, in quota units. */
export const quotaPresets = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000] as const;

/** Maximum amount of quota: a quarter of JavaScript's exact range, so that sums stay exact. */
export const maxQuota = Math.floor(Number.MAX_SAFE_INTEGER / 4);

/**
 * Decimal places of dollars: 2 (cents) or 6. Six are exact, because one unit is $0.000002 at 500,000 units per
 * dollar.
 */
export type MoneyDigits = 2 | 6;

/**
 * Precision of money, one rule for the whole console. Amounts in one column, chart or list have the same number of
 * decimals: two from a dollar on, six if even the largest is below a dollar. Balances and limits always have two. The
 * cost of a single call always has six, so that receipts add up.
 *
 * @param quotas - the amounts shown together, in quota units
 */
export function moneyDigits(quotas: readonly number[], perUnit: number): MoneyDigits {
  return quotas.some((quota) => Math.abs(quota) >= perUnit) || quotas.every((quota) => quota === 0) ? 2 : 6;
}

/**
 * The least decimal places of dollars, from 2 to 9, with which all of these amounts are exact, so that a column adds up
 * as it is shown. 9 if none is enough.
 */
export function exactDigits(quotas: readonly number[], perUnit: number): number {
  let digits = 2;
  while (digits < 9 && quotas.some((quota) => ((quota % perUnit) * 10 ** digits) % perUnit !== 0))
    digits += 1;
  return digits;
}

/** An amount without a sign, with this number of decimals and grouped thousands: 1234.5 → 1,234.50. */
export const showDecimal = (size: number, digits: number): string =>
  size.toFixed(digits).replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

/**
 * An amount of quota as console text: dollars with `digits` decimals ($1,234.50), or a number shortened with k, M, B
 * from 10,000 up. Very small amounts do not become zero: <$0.01, and -<$0.01 for a loss, with the sign in its usual
 * place.
 */
export function showQuota(
  quota: number,
  options: { inCurrency: boolean; perUnit: number; digits?: MoneyDigits },
): string {
  if (options.inCurrency) {
    const dollars = quota / options.perUnit;
    const digits = options.digits ?? 2;
    const amount = showDecimal(Math.abs(dollars), digits);
    if (dollars !== 0 && Number(amount) === 0) {
      const least = `$${(10 ** -digits).toFixed(digits)}`;
      return `${dollars < 0 ? '-' : ''}<${least}`;
    }
    return `${dollars < 0 ? '-' : ''}$${amount}`;
  }
  return shortNumber(quota);
}

/** Shortens numbers from 10,000 up: 10,000 → 10k, 1,500,000 → 1.5M. Smaller numbers stay unchanged. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${trimZero(value / 1e9)}B`;
  if (size >= 1e6) return `${trimZero(value / 1e6)}M`;
  if (size >= 1e4) return `${trimZero(value / 1e3)}k`;
  return String(value);
}

const trimZero = (value: number) => value.toFixed(1).replace(/\.0$/, '');

/** An amount in log texts (docs/compatibility.md#amount-text): `＄0.200000 额度` or `100000 点额度`. */
export function logQuota(quota: number, options: { inCurrency: boolean; perUnit: number }): string {
  return options.inCurrency ? `＄${(quota / options.perUnit).toFixed(6)} 额度` : `${quota} 点额度`;
}

/**
 * Exact decimals for the price function: a bigint and the number of its decimal places. Money is never computed in
 * floating point.
 */

/** Decimal places of ratios and prices. Further places are rounded. */
export const ratioDigits = 9;

/**
 * A ratio or price as a bigint, scaled by 10^9. Smaller values above zero become 1, so that only zero is free. Throws
 * RangeError unless the value is finite and not negative.
 */
export function scaledRatio(value: number, name: string): bigint {
  if (!Number.isFinite(value) || value < 0 || value >= 1e15) {
    throw new RangeError(`${name} is not a usable ratio: ${value}`);
  }
  // toFixed is exact; a multiplication by 1e9 would round twice.
  const scaled = BigInt(value.toFixed(ratioDigits).replace('.', ''));
  return scaled === 0n && value > 0 ? 1n : scaled;
}

const zero = 0x30;

/** `value` / 10^`digits` as decimal text without trailing zeros: (375n, 3) → "0.375". */
export function decimalText(value: bigint | number, digits: number): string {
  const whole = String(value);
  if (digits === 0) return whole;
  const padded = whole.length > digits ? whole : whole.padStart(digits + 1, '0');
  const point = padded.length - digits;
  let end = padded.length;
  while (end > point && padded.charCodeAt(end - 1) === zero) end -= 1;
  const integer = padded.slice(0, point);
  return end === point ? integer : `${integer}.${padded.slice(point, end)}`;
}

/** Parses text from `decimalText` into a bigint, scaled by 10^`digits`. It serves checks of receipts. */
export function parseDecimal(text: string, digits: number): bigint {
  const [integer = '0', fraction = ''] = text.split('.');
  if (fraction.length > digits) throw new RangeError(`more than ${digits} decimal places: ${text}`);
  return BigInt(integer + fraction.padEnd(digits, '0'));
}

/** Number of trailing decimal zeros of `value`, at most `limit`. */
export function trailingZeros(value: bigint, limit: number): number {
  if (value === 0n) return limit;
  let zeros = 0;
  let rest = value;
  while (zeros < limit && rest % 10n === 0n) {
    rest /= 10n;
    zeros += 1;
  }
  return zeros;
}

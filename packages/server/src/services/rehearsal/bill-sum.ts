/** Places in which nearly every amount of a bill is a whole number that stays exact when a few are added. */
const places = 6;
const scale = 10 ** places;

/** A decimal text in the last of those places; NaN where it has more or is too large. */
function scaled(text: string): number {
  const point = text.indexOf('.');
  const value = Number(text);
  if (point === -1) return value * scale;
  return text.length - point - 1 > places ? NaN : Math.round(value * scale);
}

/**
 * What a bill's lines come to, in quota units, in plain numbers: what `recomputeQuota` says, at a tenth of its time. Null
 * where plain numbers would not be exact.
 */
export function billSum(terms: readonly { amount: string }[], minimum: 0 | 1): number | null {
  let sum = 0;
  for (const { amount } of terms) sum += scaled(amount);
  if (!Number.isSafeInteger(sum)) return null;
  const rest = sum % scale;
  return Math.max((sum - rest) / scale + (rest * 2 >= scale ? 1 : 0), minimum);
}

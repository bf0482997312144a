/** Decimal places of dollars that are kept until a sum is rounded to quota. */
const places = 12;
const scale = 10n ** BigInt(places);

/** Small amounts have a negative exponent: JSON numbers, and OpenAI's text, which writes zero as `0E-6176`. */
const decimal = /^([+-]?)(\d{1,15})(?:\.(\d{0,400}))?(?:e-(\d{1,5}))?$/i;

/**
 * Parses an amount exactly as dollars times 10^12: decimal text as written, numbers by their shortest decimal text;
 * undefined for other values. Smaller digits are cut off. `cents` for amounts in hundredths of a dollar.
 */
export function picoDollars(value: unknown, cents = false): bigint | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  const [, sign, whole, fraction = '', exponent = '0'] =
    (typeof text === 'string' && decimal.exec(text.trim())) || [];
  if (whole === undefined) return undefined;
  const kept = whole.length - Number(exponent) + (cents ? places - 2 : places);
  const digits = (whole + fraction).slice(0, Math.max(0, kept)).padEnd(kept, '0');
  const amount = BigInt(digits === '' ? 0 : digits);
  return sign === '-' ? -amount : amount;
}

/** Dollars times 10^12 as quota units, rounded half away from zero: the precision of the ledger. */
export function quotaOfPico(amount: bigint, quotaPerUnit: number): number {
  const exact = (amount < 0n ? -amount : amount) * BigInt(Math.round(quotaPerUnit));
  const rounded = Number((exact + scale / 2n) / scale);
  return amount < 0n && rounded !== 0 ? -rounded : rounded;
}

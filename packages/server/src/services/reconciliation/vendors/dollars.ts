/** Decimal places of dollars that are kept until a sum is rounded to quota. */
const places = 12;
const scale = 10n ** BigInt(places);

const decimal = /^([+-]?)(\d{1,15})(?:\.(\d*))?$/;

/**
 * An amount as dollars times 10^12, exactly: decimal text as it stands, numbers by their shortest decimal text; undefined
 * for what is no amount. `cents` for amounts in hundredths of a dollar.
 */
export function picoDollars(value: unknown, cents = false): bigint | undefined {
  const text = typeof value === 'number' ? plainText(value) : value;
  const [, sign, whole, fraction = ''] = (typeof text === 'string' && decimal.exec(text.trim())) || [];
  if (whole === undefined) return undefined;
  const digits = cents ? places - 2 : places;
  const amount = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  return sign === '-' ? -amount : amount;
}

/** Without an exponent, which small amounts have in JSON. */
const plainText = (value: number): string =>
  /e/i.test(String(value)) ? value.toFixed(places + 2) : String(value);

/** Dollars times 10^12 as quota units, rounded half away from zero: the precision of the ledger. */
export function quotaOfPico(amount: bigint, quotaPerUnit: number): number {
  const exact = (amount < 0n ? -amount : amount) * BigInt(Math.round(quotaPerUnit));
  const rounded = Number((exact + scale / 2n) / scale);
  return amount < 0n && rounded !== 0 ? -rounded : rounded;
}

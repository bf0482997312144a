import { maxQuota, ratioDigits, scaledRatio } from '@tollgate/contract';

const one = 10n ** BigInt(ratioDigits);

/** Price of an amount of quota. All figures are options, read when the order is created. */
export interface PriceRules {
  /** Price of one dollar of quota (option Price). */
  price: number;
  /** Factor of the buyer's group (option TopupGroupRatio). */
  groupRatio: number;
  /** Dollars → factor of the price from there on (option TopUpSteps). */
  steps: Readonly<Record<string, number>>;
  /** Quota units in a dollar (option QuotaPerUnit). */
  quotaPerUnit: number;
  /** True when amounts are dollars, false when they are quota units (option DisplayInCurrencyEnabled). */
  inCurrency: boolean;
}

/** The factor of the greatest step that an amount reaches; 1 below all. */
function discountOf(amount: number, { steps, quotaPerUnit, inCurrency }: PriceRules): number {
  const dollars = inCurrency ? amount : amount / quotaPerUnit;
  const reached = Object.keys(steps).filter((step) => Number(step) <= dollars);
  return reached.length === 0 ? 1 : (steps[Math.max(...reached.map(Number))] ?? 1);
}

const divideRounded = (value: bigint, by: bigint): bigint => (value + by / 2n) / by;

/**
 * Price of an amount in hundredths of the payment's currency (docs/compatibility.md#online-top-up): amount × price ×
 * group ratio × discount of its step, exact until the one rounding at the end, half up.
 */
export function payableCents(amount: number, rules: PriceRules): bigint {
  const { price, groupRatio, quotaPerUnit, inCurrency } = rules;
  const ratio =
    scaledRatio(groupRatio, 'TopupGroupRatio') * scaledRatio(discountOf(amount, rules), 'TopUpSteps');
  const money = BigInt(amount) * scaledRatio(price, 'Price') * ratio * 100n;
  if (inCurrency) return divideRounded(money, one * one * one);
  return divideRounded(money, one * one * scaledRatio(quotaPerUnit, 'QuotaPerUnit'));
}

/** Quota units that an amount buys; null if it exceeds the maximum balance. */
export function boughtQuota(amount: number, { quotaPerUnit, inCurrency }: PriceRules): number | null {
  const quota = inCurrency
    ? (BigInt(amount) * scaledRatio(quotaPerUnit, 'QuotaPerUnit')) / one
    : BigInt(amount);
  return quota > BigInt(maxQuota) ? null : Number(quota);
}

/** Hundredths as decimal text with two places: 730 → "7.30". */
export const moneyText = (cents: bigint): string =>
  `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;

/** Hundredths of a decimal text; null if it is invalid, or has a fraction of a hundredth. */
export function readMoney(text: string): bigint | null {
  const parts = /^(\d{1,15})(?:\.(\d{1,2})0{0,6})?$/.exec(text);
  if (!parts) return null;
  return BigInt(parts[1]! + (parts[2] ?? '').padEnd(2, '0'));
}

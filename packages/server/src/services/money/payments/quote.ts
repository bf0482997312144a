import { AppError } from '@tollgate/contract';
import type { Settings } from '../../site/settings/index.ts';
import { boughtQuota, payableCents, type PriceRules } from './money.ts';

/** An amount with its price. */
export interface Quote {
  cents: bigint;
  /** Quota units to be credited. */
  quota: number;
  /** Whole dollars, for the order's row. */
  dollars: number;
}

type Options = Pick<Settings, 'get'>;

/** The price factor of a group; a missing one, or 0, counts as 1 (docs/compatibility.md#online-top-up). */
function topUpRatio(settings: Options, group: string): number {
  const ratios = settings.get('TopupGroupRatio');
  return (Object.hasOwn(ratios, group) && ratios[group]) || 1;
}

const rulesFor = (settings: Options, group: string, price: number): PriceRules => ({
  price,
  groupRatio: topUpRatio(settings, group),
  steps: settings.get('TopUpSteps'),
  quotaPerUnit: settings.get('QuotaPerUnit'),
  inCurrency: settings.get('DisplayInCurrencyEnabled'),
});

/** The minimum amount, in the unit of amounts: dollars or quota units. */
function leastAmount(settings: Options, { inCurrency, quotaPerUnit }: PriceRules): number {
  const dollars = settings.get('MinTopUp');
  return inCurrency ? dollars : Math.ceil(dollars * quotaPerUnit);
}

/**
 * Prices an amount by the present options. Throws AppError if it is too small or too large.
 *
 * @param price - Price of a dollar of quota
 */
export function quoteAmount(
  settings: Options,
  group: string,
  amount: number,
  price = settings.get('Price'),
): Quote {
  const rules = rulesFor(settings, group, price);
  const minimum = leastAmount(settings, rules);
  if (amount < minimum) throw new AppError('topup_below_minimum', { minimum });
  const quota = boughtQuota(amount, rules);
  if (quota === null) throw new AppError('invalid_argument');
  const cents = payableCents(amount, rules);
  if (cents < 1n || quota < 1) throw new AppError('topup_too_cheap');
  const dollars = rules.inCurrency ? amount : Math.floor(amount / rules.quotaPerUnit);
  return { cents, quota, dollars };
}

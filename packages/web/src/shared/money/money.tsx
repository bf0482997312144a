import { moneyDigits, type MoneyDigits } from '@tollgate/contract';
import { formatMoney } from '../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';

interface MoneyProps {
  /** Quota units. */
  quota: number;
  /**
   * Cents for balances and limits; six decimals for the cost of a single call. Amounts of a list use the result of
   * `moneyDigits` for all of them.
   */
  digits?: MoneyDigits;
}

/** An amount of quota in the site's display format; the exact number is its tooltip. */
export function Money({ quota, digits = 2 }: MoneyProps) {
  const display = useQuotaDisplay();
  const exact = `${formatMoney(quota, display, 6)} · ${quota}`;
  return (
    <span className="tabular" title={exact}>
      {formatMoney(quota, display, digits)}
    </span>
  );
}

/** A single sum, with decimals by its size. */
export function MoneySum({ quota }: Pick<MoneyProps, 'quota'>) {
  const { perUnit } = useQuotaDisplay();
  return <Money quota={quota} digits={moneyDigits([quota], perUnit)} />;
}

/**
 * A chosen amount, such as the value of a code: in cents if it is a whole number of them, otherwise with all decimals.
 */
export function MoneyExact({ quota }: Pick<MoneyProps, 'quota'>) {
  const { perUnit } = useQuotaDisplay();
  return <Money quota={quota} digits={(quota * 100) % perUnit === 0 ? 2 : 6} />;
}

import { formatMoney, type MoneyDigits } from '../../lib/number-format.ts';
import { useQuotaDisplay } from '../../lib/status.ts';

interface MoneyProps {
  /** Quota units. */
  quota: number;
  /** Six for costs of single calls, so that a column of them aligns; without it, as many as say something. */
  digits?: MoneyDigits;
}

/** Two decimals, but six for what is less than a cent: spent is spent, and must not read as nothing. */
export const digitsOf = (quota: number, perUnit: number): MoneyDigits =>
  quota !== 0 && Math.abs(quota) < perUnit / 100 ? 6 : 2;

/** An amount of quota, shown the one way this site shows amounts; the exact figure is its tooltip. */
export function Money({ quota, digits }: MoneyProps) {
  const display = useQuotaDisplay();
  const exact = `${formatMoney(quota, display, 6)} · ${quota}`;
  return (
    <span className="tabular" title={exact}>
      {formatMoney(quota, display, digits ?? digitsOf(quota, display.perUnit))}
    </span>
  );
}

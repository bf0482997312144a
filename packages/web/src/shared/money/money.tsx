import { formatMoney, type MoneyDigits } from '../../lib/number-format.ts';
import { useQuotaDisplay } from '../../lib/status.ts';

interface MoneyProps {
  /** Quota units. */
  quota: number;
  /** Six for costs of single calls, where two would show nothing. */
  digits?: MoneyDigits;
}

/** An amount of quota, shown the one way this site shows amounts; the exact figure is its tooltip. */
export function Money({ quota, digits = 2 }: MoneyProps) {
  const display = useQuotaDisplay();
  const exact = `${formatMoney(quota, display, 6)} · ${quota}`;
  return (
    <span className="tabular" title={exact}>
      {formatMoney(quota, display, digits)}
    </span>
  );
}

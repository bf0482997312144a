import type { BudgetData } from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatDateTime } from '../../lib/format/date-format.ts';
import { formatMoney } from '../../lib/format/number-format.ts';
import { useTranslate } from '../../lib/i18n.ts';
import classes from './budgets.module.css';
import { text } from './text.ts';

/** Percentage from which a budget is shown as nearly used up. */
export const nearShare = 80;

/** Used, held and remaining amounts of a budget, and the start of its next period. */
export function BudgetBar({ budget }: { budget: BudgetData }) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const { amount, used, held, period, window_end: end } = budget;
  // An amount of zero leaves no room. A lowered budget may have used more than its amount.
  const percent = (part: number) => (amount === 0 ? 100 : Math.min(100, (part / amount) * 100));
  const usedShare = percent(used);
  const heldShare = Math.min(100 - usedShare, percent(held));
  const worth = (quota: number) => formatMoney(quota, display);
  const time = formatDateTime(end).slice(0, -3);
  return (
    <>
      <div className={classes.bar} aria-hidden="true">
        <span
          className={classes.used}
          data-full={usedShare + heldShare >= nearShare || undefined}
          style={{ width: `${usedShare}%` }}
        />
        <span className={classes.held} style={{ width: `${heldShare}%` }} />
      </div>
      <div className={`${classes.figures} tabular`}>
        <span>{t(text.used, { money: worth(used) })}</span>
        {held > 0 && <span>{t(text.held, { money: worth(held) })}</span>}
        <span>{t(text.left, { money: worth(Math.max(0, amount - used - held)) })}</span>
        <span>{t(period === 'term' ? text.ends : text.resets, { time })}</span>
      </div>
    </>
  );
}

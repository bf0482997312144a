import { type BudgetData, maxRunCalls } from '@tollgate/contract';
import { useState } from 'react';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatDateTime } from '../../lib/format/date-format.ts';
import { formatMoney, formatNumber } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import classes from './budgets.module.css';
import { text } from './text.ts';

/** Percentage from which a budget is shown as nearly used up. */
export const nearShare = 80;

/** How amounts of a budget are shown: as money, or as a number of tokens. */
export function useBudgetAmount({ unit }: Pick<BudgetData, 'unit'>): (amount: number) => string {
  const t = useTranslate();
  const display = useQuotaDisplay();
  return (amount) => (unit === 'tokens' ? t(text.tokens, { count: amount }) : formatMoney(amount, display));
}

/** Used, held and remaining amounts of a budget, and when its next period starts or its first use no longer counts. */
export function BudgetBar({ budget }: { budget: BudgetData }) {
  const t = useTranslate();
  const language = useLanguage();
  const worth = useBudgetAmount(budget);
  const { amount, mode, used, held, period, sliding, enabled, calls, max_calls: maxCalls } = budget;
  const { window_end: end } = budget;
  // A run without a limit has no amount.
  const isLimited = mode !== 'soft' || period !== 'run';
  const [now] = useState(() => Date.now());
  // An amount of zero leaves no room. A lowered budget may have used more than its amount.
  const percent = (part: number) => (amount === 0 ? 100 : Math.min(100, (part / amount) * 100));
  const usedShare = percent(used);
  const heldShare = Math.min(100 - usedShare, percent(held));
  const time = period === 'minute' ? formatDateTime(end) : formatDateTime(end).slice(0, -3);
  const ending = (): string | undefined => {
    if (sliding) return used > 0 ? t(text.slides, { time }) : undefined;
    if (period === 'run' && !enabled) return t(text.stopped);
    if (period === 'run' && end * 1000 <= now) return t(text.ended, { time });
    return t(period === 'term' || period === 'run' ? text.ends : text.resets, { time });
  };
  const max = formatNumber(maxCalls, language);
  return (
    <>
      {isLimited && (
        <div className={classes.bar} aria-hidden="true">
          <span
            className={classes.used}
            data-full={usedShare + heldShare >= nearShare || undefined}
            style={{ width: `${usedShare}%` }}
          />
          <span className={classes.held} style={{ width: `${heldShare}%` }} />
        </div>
      )}
      <div className={`${classes.figures} tabular`}>
        <span>{t(text.used, { money: worth(used) })}</span>
        {held > 0 && <span>{t(text.held, { money: worth(held) })}</span>}
        {isLimited && <span>{t(text.left, { money: worth(Math.max(0, amount - used - held)) })}</span>}
        {maxCalls > 0 && (
          <span>
            {maxCalls < maxRunCalls
              ? t(text.callsOf, { calls: formatNumber(calls, language), max })
              : t(text.callsMade, { count: calls })}
          </span>
        )}
        <span>{ending()}</span>
      </div>
    </>
  );
}

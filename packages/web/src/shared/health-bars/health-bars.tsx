import { formatPercent } from '../../lib/format/number-format.ts';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';
import classes from './health-bars.module.css';

const text = texts({
  none: { zh: '没有调用', en: 'No calls' },
  label: { zh: '成功率：{rates}', en: 'Success: {rates}' },
});

/** Success rates of parts of a period, the oldest first, as bars; null for parts without calls. */
export function HealthBars({ rates, wide }: { rates: readonly (number | null)[]; wide?: true }) {
  const t = useTranslate();
  const language = useLanguage();
  const word = (rate: number | null) => (rate === null ? t(text.none) : formatPercent(rate, language));
  return (
    <span
      className={classes.bars}
      data-wide={wide}
      role="img"
      aria-label={t(text.label, { rates: rates.map(word).join(', ') })}
    >
      {rates.map((rate, place) => (
        <span key={place} className={classes.bar} data-state={stateOf(rate)} title={word(rate)} />
      ))}
    </span>
  );
}

const stateOf = (rate: number | null): string => {
  if (rate === null) return 'idle';
  if (rate >= 0.95) return 'good';
  return rate >= 0.5 ? 'warn' : 'bad';
};

/** The success rate of each part of a series. */
export const ratesOf = (series: readonly { tries: number; failed: number }[]): (number | null)[] =>
  series.map(({ tries, failed }) => (tries === 0 ? null : 1 - failed / tries));

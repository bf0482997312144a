import { moneyDigits, showDecimal, shortNumber, type MoneyDigits } from '@tollgate/contract';
import { useCallback } from 'react';
import { localeOf, useLanguage, type Language } from '../../../lib/i18n.ts';
import { formatMoney, formatNumber, type QuotaDisplay } from '../../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import type { Measure } from '../base/series.ts';
import type { Span, Unit } from '../base/span.ts';
import { placesOf } from './ticks.ts';

interface AmountFormat {
  measure: Measure;
  display: QuotaDisplay;
  digits: MoneyDigits;
  language: Language;
}

const formatAmount = (value: number, { measure, display, digits, language }: AmountFormat) =>
  measure === 'quota' ? formatMoney(value, display, digits) : formatNumber(value, language);

/**
 * Formats the shown quantity: money, or whole numbers.
 *
 * @param largest - the largest amount shown together with the others, in quota units: it decides their decimals
 */
export function useAmount(measure: Measure, largest: number): (value: number) => string {
  const language = useLanguage();
  const display = useQuotaDisplay();
  const digits = moneyDigits([largest], display.perUnit);
  return useCallback(
    (value) => formatAmount(value, { measure, display, digits, language }),
    [measure, display, digits, language],
  );
}

/** The largest bar of a chart. */
export const largestOf = (bars: readonly { total: number }[]): number =>
  Math.max(0, ...bars.map(({ total }) => total));

/** Formats the grid lines of the chart, in the unit of their round values. */
export function tickText(value: number, ticks: readonly number[], inDollars: boolean): string {
  if (value === 0) return inDollars ? '$0' : '0';
  const places = placesOf(ticks);
  // Cents have two digits or none.
  return inDollars ? `$${showDecimal(value, places === 1 ? 2 : places)}` : shortNumber(value);
}

const formats: Record<Unit, Intl.DateTimeFormatOptions> = {
  hour: { hour: '2-digit', minute: '2-digit', hour12: false },
  day: { month: 'short', day: 'numeric' },
  week: { month: 'short', day: 'numeric' },
};

/** The label of a bar below the chart: a day, or an hour. The label of midnight is its day. */
export function barLabel(start: number, unit: Unit, language: Language): string {
  const isMidnight = new Date(start * 1000).getHours() === 0;
  const options = formats[isMidnight ? 'day' : unit];
  return new Intl.DateTimeFormat(localeOf(language), options).format(start * 1000);
}

/** The full name of a bar: a whole date, hours and weeks with their ends. */
export function barName({ start, end }: Span, unit: Unit, language: Language): string {
  const format = new Intl.DateTimeFormat(localeOf(language), {
    month: 'short',
    day: 'numeric',
    weekday: 'short',
    ...(unit === 'hour' ? { hour: '2-digit', minute: '2-digit', hour12: false } : {}),
  });
  return unit === 'day'
    ? format.format(start * 1000)
    : format.formatRange(start * 1000, (end + 1) * 1000 - 1);
}

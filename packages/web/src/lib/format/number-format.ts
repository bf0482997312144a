import { showDecimal, showQuota, type MoneyDigits } from '@tollgate/contract';
import type { Language } from '../language.ts';

/** How amounts of quota are shown on this site. */
export interface QuotaDisplay {
  inCurrency: boolean;
  perUnit: number;
}

export const formatMoney = (quota: number, display: QuotaDisplay, digits: MoneyDigits = 2): string =>
  showQuota(quota, { ...display, digits });

/** Dollars at a vendor, which are no quota of this site: -1.5 → -$1.50 */
export const formatDollars = (dollars: number): string =>
  `${dollars < 0 ? '-' : ''}$${showDecimal(Math.abs(dollars), 2)}`;

/** How each language writes numbers. `Intl.NumberFormat` knows it too, but takes 20 ms for the first number of a visit. */
const marks: Record<Language, { group: string; point: string }> = {
  zh: { group: ',', point: '.' },
  en: { group: ',', point: '.' },
};

/** '1234567.5' → '1,234,567.5' */
function punctuate(decimal: string, language: Language): string {
  const { group, point } = marks[language];
  const [whole = '', fraction] = decimal.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  return fraction === undefined ? grouped : grouped + point + fraction;
}

/** 1234567 → 1,234,567 */
export const formatNumber = (value: number, language: Language, maximumFractionDigits = 0): string =>
  punctuate(String(Number(value.toFixed(maximumFractionDigits))), language);

/**
 * 0.9982 → 99.8%; always with the same number of decimals, so that columns align. A share below 1 never rounds to 100%,
 * and a share above 0 never rounds to 0%: one failure among many thousands makes 99.9%.
 */
export function formatPercent(share: number, language: Language, digits = 1): string {
  const least = 10 ** -(digits + 2);
  const shown = share > 0 && share < 1 ? Math.min(1 - least, Math.max(least, share)) : share;
  // Rounded as a share first: 0.145 * 100 is below 14.5.
  const percent = Number(shown.toFixed(digits + 2)) * 100;
  return `${punctuate(percent.toFixed(digits), language)}%`;
}

/** Formats milliseconds for people: 340 ms, 1.24 s, 2 min 5 s. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** An amount of a payment in its currency; '' is that of epay. */
export function formatPayment(amount: number, currency: string, language: Language): string {
  const format = { style: 'currency', currency: currency || 'CNY', currencyDisplay: 'narrowSymbol' } as const;
  return new Intl.NumberFormat(language, format).format(amount);
}

import { localeOf, type Language } from './i18n.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(language: Language, key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = formats.get(language + key) ?? new Intl.DateTimeFormat(localeOf(language), options);
  formats.set(language + key, known);
  return known;
}

const twoDigits = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;

/** Unix seconds → 2026-11-21 04:17:05 in the reader's time zone, the same in both languages so that columns align. */
export function formatDateTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Unix seconds → a date in words: Nov 21, 2026 · 2026年11月21日. */
export const formatDate = (seconds: number, language: Language): string =>
  format(language, 'date', { year: 'numeric', month: 'short', day: 'numeric' }).format(seconds * 1000);

/** Unix seconds → month, day and time without the year. */
export const formatShort = (seconds: number, language: Language): string =>
  format(language, 'short', { ...twoDigits, hour12: false }).format(seconds * 1000);

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Unix seconds seen from `now`: in 3 days, 5 minutes ago. */
export function formatRelative(seconds: number, now: number, language: Language): string {
  const distance = seconds - now;
  const words = new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'auto' });
  const step = steps.find(([, size]) => Math.abs(distance) >= size);
  return step ? words.format(Math.trunc(distance / step[1]), step[0]) : words.format(0, 'minute');
}
